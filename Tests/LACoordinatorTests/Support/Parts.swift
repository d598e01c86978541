import Activities
import Logging
import NIOConcurrencyHelpers
import ServiceKit
import SightscreenModels
import Store

@testable import FanOut
@testable import LACoordinator

/// Some parts of a coordinator, on a database and on loops of their own; nothing happens but what a test calls for.
struct Parts: Sendable {
    let bench: FanOutTests.Bench
    let gates = StartGates()
    let roster: ShardRoster
    let publisher: MatchPublisher
    let ends: EndSender
    let pushes = PushesInFlight()
    private let leases: LeaseStore
    private let holds: NIOLockedValueBox<[ShardLease]>

    init(_ harness: Harness) async throws {
        let logger = Logger(label: "parts") { _ in SwiftLogNoOpLogHandler() }
        let (store, holds) = (ActivityStore(pool: harness.pool), NIOLockedValueBox<[ShardLease]>([]))
        bench = try await FanOutTests.Bench()
        leases = LeaseStore(pool: harness.pool)
        self.holds = holds
        roster = ShardRoster(
            store: store, fanOut: bench.fanOut, stalls: bench.stalls, startGates: gates, logger: logger,
            leases: { holds.withLockedValue { $0 } })
        publisher = MatchPublisher(
            store: store, fanOut: bench.fanOut, roster: roster,
            progress: ProgressWriter(store: store, fanOut: bench.fanOut, instance: "a", tracer: .off, logger: logger),
            configuration: try harness.configuration(), tracer: .off, logger: logger)
        let matchHolds = MatchHolds()
        _ = matchHolds.apply(Holds())
        ends = EndSender(
            store: store, fanOut: bench.fanOut, publisher: publisher, matchHolds: matchHolds, pushes: pushes,
            schedule: Schedule(interval: .seconds(600)), configuration: try harness.configuration(), logger: logger)
        try await publisher.readClock()
    }

    /// Takes the leases of all shards, anew where it has them.
    func acquire() async throws {
        let names = (0..<DeviceRoute.shardCount).map { LeaseName.shard($0) }
        try await leases.release(names, holder: "a")
        let taken = try await leases.acquire(names, holder: "a", duration: .seconds(600))
        holds.withLockedValue { $0 = taken.compactMap { ShardLease($0) } }
    }

    /// Has the shards and activities as leases and table have them.
    func update() async throws { try await roster.update(clock: publisher.clock) { _ in } }

    func phones() async -> Int { await bench.fanOut.onEach { $0.count }.reduce(0, +) }
}
