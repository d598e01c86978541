/// Decides which traces are exported, by their ids alone, so that processes with the same ratio agree.
struct TraceSampling: Sendable {
    /// The least value of an id's random part (56 bits): the rule of W3C Trace Context level 2 and OpenTelemetry.
    private let threshold: UInt64

    /// - Parameter ratio: the part of traces that is exported, from 0 to 1.
    init(ratio: Double) {
        let all = Double(1 << 56)
        threshold = UInt64(((1 - min(max(ratio, 0), 1)) * all).rounded())
    }

    func admits(_ trace: TraceContext) -> Bool {
        guard let random = UInt64(trace.traceID.suffix(14), radix: 16) else { return false }
        return random >= threshold
    }
}
