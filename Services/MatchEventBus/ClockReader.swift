import Reactor
import ServiceKit
import Store

/// Reads the database's clock every ten seconds and counts on from there, so that a change of either machine's clock is
/// noticed.
actor ClockReader {
    static let readInterval: Duration = .seconds(10)

    private var clock: DatabaseClock?

    /// The database's clock, in milliseconds since 1970.
    func now(_ store: MatchStore) async throws -> Int64 {
        if let clock, clock.age < Self.readInterval { return clock.milliseconds }
        let clock = DatabaseClock(milliseconds: try await store.now())
        self.clock = clock
        return clock.milliseconds
    }
}
