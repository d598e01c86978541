import Glibc

/// A piece of work in a trace, in the form that a collector takes. Its times are by this host's clock, like those of
/// log lines: they are for people, and no decision depends on them.
public struct Span: Sendable, Equatable {
    /// The kind, with OTLP's numbers.
    public enum Kind: Int, Sendable { case `internal` = 1, server, client, producer, consumer }

    public enum Value: Sendable, Equatable {
        case string(String)
        case int(Int)
        case bool(Bool)
    }

    public let name: String
    public let kind: Kind
    /// The span's own place in the trace; work that is done for it is recorded below.
    public let context: TraceContext
    /// The id of the span that it was done for; nil where the trace begins.
    public let parentID: String?
    /// The beginning in nanoseconds since 1970.
    public var begunAt: Int64
    /// The end in nanoseconds since 1970; nil while the work goes on.
    public var endedAt: Int64?
    /// The attributes, which never name users, devices or tokens.
    public var attributes: [String: Value] = [:]
    /// The failure; nil if there was none.
    public var error: String?

    init(name: String, kind: Kind, context: TraceContext, parentID: String?, begunAt: Int64) {
        self.name = name
        self.kind = kind
        self.context = context
        self.parentID = parentID
        self.begunAt = begunAt
    }

    public subscript(_ key: String) -> Value? {
        get { attributes[key] }
        set { attributes[key] = newValue }
    }

    /// This host's clock, in nanoseconds since 1970.
    public static var now: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
