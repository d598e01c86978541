/// The database's clock, carried forward by our own monotonic one between two looks at it.
struct DatabaseClock: Sendable {
    private var readAtMs: Int64?
    private var readAt: ContinuousClock.Instant = .now

    /// Milliseconds since 1970; nil before the first look.
    var nowMs: Int64? { readAtMs.map { $0 + (.now - readAt).milliseconds } }

    mutating func set(_ milliseconds: Int64) {
        readAtMs = milliseconds
        readAt = .now
    }
}

extension Duration {
    var milliseconds: Int64 {
        let (seconds, attoseconds) = components
        return seconds * 1_000 + attoseconds / 1_000_000_000_000_000
    }
}
