import Reactor
import ServiceKit
import Store

/// Looks at the database's clock now and then, so that a change of either machine's clock is noticed.
actor ClockReader {
    static let lookEvery: Duration = .seconds(10)

    private var clock: DatabaseClock?

    /// Milliseconds since 1970.
    func now(_ store: MatchStore) async throws -> Int64 {
        if let clock, clock.age < Self.lookEvery { return clock.milliseconds }
        let clock = DatabaseClock(milliseconds: try await store.now())
        self.clock = clock
        return clock.milliseconds
    }
}
