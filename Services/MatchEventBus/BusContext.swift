import Detection
import Logging
import Messages
import ServiceKit
import Store
/// The dependencies of all match workers.
struct BusContext: Sendable {
    let store: MatchStore
    let leases: LeaseKeeper
    let timing: MatchTiming
    let metrics = BusMetrics()
    let logger: Logger
    let tracer: Tracer
    /// Notifies the coordinators on this host of a version. It is best effort and never waits for them.
    let publish: @Sendable (MatchUpdate) async -> Void
    let clock = ClockReader()

    /// The database's clock, in milliseconds since 1970.
    func now() async throws -> Int64 { try await clock.now(store) }
}
