import Store

/// Looks at the database's clock now and then, so that a change of either machine's clock is noticed.
actor ClockReader {
    static let lookEvery: Duration = .seconds(10)

    private var clock = DatabaseClock()
    private var lookedAt: ContinuousClock.Instant?

    /// Milliseconds since 1970.
    func now(_ store: MatchStore) async throws -> Int64 {
        if let lookedAt, .now - lookedAt < Self.lookEvery, let now = clock.nowMs { return now }
        clock.set(try await store.now())
        lookedAt = .now
        return clock.nowMs ?? 0
    }
}
