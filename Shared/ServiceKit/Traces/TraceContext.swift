/// W3C trace context: the request that a piece of work belongs to, across processes.
public struct TraceContext: Sendable, Equatable, CustomStringConvertible {
    /// The trace's id: 32 lower-case hex digits, not all zero.
    public let traceID: String
    /// The id of this place in the trace: 16 lower-case hex digits, not all zero.
    public let spanID: String
    public let isSampled: Bool

    /// The context of the current task; log lines carry its trace id.
    @TaskLocal public static var current: TraceContext?

    /// Begins a new trace.
    public init() {
        traceID = Self.hex(Self.nonZero()) + Self.hex(Self.nonZero())
        spanID = Self.hex(Self.nonZero())
        isSampled = true
    }

    /// Reads the header.
    /// - Returns: nil if it does not have the W3C form; a later version is read as far as it is known.
    public init?(traceparent: String) {
        let parts = traceparent.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        guard parts.count >= 4, let version = String(parts[0]), Self.isHex(parts[0], 2), version != "ff",
            version != "00" || parts.count == 4,
            Self.isHex(parts[1], 32), Self.isHex(parts[2], 16), Self.isHex(parts[3], 2),
            let trace = String(parts[1]), let span = String(parts[2]), let flags = String(parts[3]),
            trace.contains(where: { $0 != "0" }), span.contains(where: { $0 != "0" })
        else { return nil }
        traceID = trace
        spanID = span
        isSampled = (UInt8(flags, radix: 16) ?? 0) & 1 == 1
    }

    private init(traceID: String, spanID: String, isSampled: Bool) {
        self.traceID = traceID
        self.spanID = spanID
        self.isSampled = isSampled
    }
    /// Makes a child context in the same trace.
    public func child() -> TraceContext {
        TraceContext(traceID: traceID, spanID: Self.hex(Self.nonZero()), isSampled: isSampled)
    }

    /// Returns the same place in the trace, with the trace's sampling set.
    func sampled(_ isSampled: Bool) -> TraceContext {
        TraceContext(traceID: traceID, spanID: spanID, isSampled: isSampled)
    }

    /// The header's value, in version 00.
    public var traceparent: String { "00-\(traceID)-\(spanID)-\(isSampled ? "01" : "00")" }
    public var description: String { traceparent }

    private static func nonZero() -> UInt64 { UInt64.random(in: 1...UInt64.max) }

    private static func hex(_ value: UInt64) -> String {
        let digits = String(value, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    private static func isHex(_ text: Substring.UTF8View.SubSequence, _ count: Int) -> Bool {
        text.count == count
            && text.allSatisfy {
                (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
                    || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0)
            }
    }
}
