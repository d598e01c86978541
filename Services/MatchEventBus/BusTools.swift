import Detection
import Logging
import Messages
import ServiceKit
import Store

/// What the desks of all matches share.
struct BusTools: Sendable {
    let store: MatchStore
    let leases: LeaseKeeper
    let timing: MatchTiming
    let metrics = BusMetrics()
    let logger: Logger
    let tracer: Tracer
    /// Tells the coordinators on this host; best effort, never waits for them.
    let publish: @Sendable (MatchUpdate) async -> Void
    let clock = ClockReader()

    /// The database's clock, milliseconds since 1970.
    func now() async throws -> Int64 { try await clock.now(store) }
}
