/// Which traces are exported, decided by their ids alone: processes with the same ratio agree on each.
struct TraceSampling: Sendable {
    /// The random part of an id, 56 bits, must not be below: the rule of W3C Trace Context level 2 and OpenTelemetry.
    private let threshold: UInt64

    /// - Parameter ratio: from 0, no trace, to 1, every one.
    init(ratio: Double) {
        let all = Double(1 << 56)
        threshold = UInt64(((1 - min(max(ratio, 0), 1)) * all).rounded())
    }

    func admits(_ trace: TraceContext) -> Bool {
        guard let random = UInt64(trace.traceID.suffix(14), radix: 16) else { return false }
        return random >= threshold
    }
}
