import Glibc

/// A piece of work in a trace, as a collector takes it. Its times are of this host's clock, like those of log lines: they are
/// for people, and nothing is decided by them.
public struct Span: Sendable, Equatable {
    /// As OTLP numbers them.
    public enum Kind: Int, Sendable { case `internal` = 1, server, client, producer, consumer }

    public enum Value: Sendable, Equatable {
        case string(String)
        case int(Int)
        case bool(Bool)
    }

    public let name: String
    public let kind: Kind
    /// Its own place in the trace: what is done for it is done under this.
    public let context: TraceContext
    /// The span it was done for; nil where the trace begins.
    public let parentID: String?
    /// Nanoseconds since 1970.
    public var begunAt: Int64
    /// The same; nil while it goes on.
    public var endedAt: Int64?
    /// Never of users, devices or tokens.
    public var attributes: [String: Value] = [:]
    /// What went wrong.
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

    /// This host's clock, nanoseconds since 1970.
    public static var now: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
