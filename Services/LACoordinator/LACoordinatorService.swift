import FanOut
import Activities
import Logging
import Messages
import Metrics
import Postgres
public import ServiceKit
public import ServiceLifecycle
import Store
import Wire

/// The `la-coordinator` service: waits for the database, keeps the shards' leases, listens for notifications, and
/// pushes.
public struct LACoordinatorService: Service, CustomStringConvertible {
    private let configuration: LACoordinatorConfiguration
    private let pool: PostgresPool
    private let readiness: Readiness
    private let logger: Logger
    private let tracer: Tracer
    private let calls: LastCalls
    private let presence: Presence

    public var description: String { "la-coordinator" }

    public init(_ configuration: LACoordinatorConfiguration, _ context: ServiceContext) throws {
        self.configuration = configuration
        readiness = context.readiness
        logger = context.logger
        tracer = context.tracer
        calls = context.calls
        pool = try configuration.database.pool(
            size: 6, applicationName: "la-coordinator/\(configuration.instance)")
        presence = Presence(
            pool: pool, service: "la-coordinator", instance: configuration.instance, context: context,
            keys: .init(
                fingerprints: configuration.vault.fingerprints,
                trouble: { [pool, vault = configuration.vault] in try await vault.trouble(pool) }))
        context.metrics.describe("sightscreen_pushes_total", help: "Pushes by kind and what became of them.")
        context.metrics.describe(
            "sightscreen_push_failures_total", help: "Updates that were not taken, by APNs' reason or ours.")
        context.metrics.describe(
            "sightscreen_bad_tokens_retired_total", help: "Tokens that APNs called bad and that were retired, by kind.")
        context.metrics.describe(
            "sightscreen_pushes_retried_total", help: "Updates sent once more because the one before was not taken.")
        context.metrics.describe(
            "sightscreen_apns_stopped",
            help: "Threads that send an APNs host nothing but a push now and then, because of what it answers.")
        context.metrics.describe(
            "sightscreen_apns_accounts_refused",
            help: "Accounts, a few at most, whose tokens an APNs host refused before it accepted any.")
        context.metrics.describe("sightscreen_holds", help: "Holds of the operator in force here, by level.")
        context.metrics.describe(
            "sightscreen_pushes_held_total", help: "Pushes that a hold of the operator kept from leaving.")
        context.metrics.describe(
            "sightscreen_alerts_lost_total", help: "Alerts that are never told, to be on the safe side.")
        context.metrics.describe(
            "sightscreen_fanout_first_seconds", help: "From a version's arrival to its first phone.")
        context.metrics.describe("sightscreen_fanout_seconds", help: "From a version's arrival to its last phone.")
        context.metrics.describe(
            "sightscreen_fanout_lag_seconds",
            help: "Age of the oldest version that over 1 % of a match's phones, or a channel, lack; of the worst match."
        )
        context.metrics.describe(
            "sightscreen_fanout_stuck_seconds",
            help: "For how long phones have lacked a version while APNs accepted nothing for them; of the worst match.")
        context.metrics.describe(
            "sightscreen_matches_refused", help: "Matches of which APNs refuses every phone for its own token.")
        context.metrics.describe(
            "sightscreen_phones_left_out", help: "Phones that do not count among those that are behind, by why.")
        context.metrics.describe(
            "sightscreen_fanout_reports_waiting", help: "What the push threads ask for and nobody has taken up yet.")
        context.metrics.describe(
            "sightscreen_version_delay_seconds",
            help: "From a version's commit to here, by notification or from the log.")
        context.metrics.describe("sightscreen_channels", help: "Broadcast channels published to, by class.")
        context.metrics.describe(
            "sightscreen_channels_resting", help: "Channels that lack a version because APNs answers 429.")
        context.metrics.describe(
            "sightscreen_channel_lag_seconds",
            help: "Age of the oldest version that a channel lacks; of the worst channel, by class.")
        context.metrics.describe(
            "sightscreen_publishes_delayed_total", help: "States that a channel's pace or rest held back, by cause.")
        context.metrics.describe(
            "sightscreen_channel_calls_total", help: "Calls to APNs about channels, by what became of them.")
        context.metrics.describe("sightscreen_channels_listed", help: "Channels that APNs has, as last swept.")
        context.metrics.describe(
            "sightscreen_channels_unknown", help: "Channels that APNs has and no row has named for ten minutes.")
        context.metrics.describe(
            "sightscreen_channels_missing",
            help: "Channels of this process' matches that were asked for a minute ago or more, and are not open.")
        context.metrics.describe(
            "sightscreen_channels_stopped",
            help: "1 while no channel is asked for: broadcasts are off, or APNs has no room (full).")
        context.metrics.describe(
            "sightscreen_phones", help: "Activities that this process pushes to, by token or channel.")
        context.metrics.describe("sightscreen_apns_connections", help: "Open connections to an APNs host.")
        context.metrics.describe(
            "sightscreen_apns_connections_closed_total", help: "Connections to an APNs host that were lost or not made."
        )
        context.metrics.describe("sightscreen_pushes_in_flight", help: "Pushes without an answer: streams in use.")
        context.metrics.describe(
            "sightscreen_audits_total", help: "Comparisons of what is in memory with the table that came to their end.")
        context.metrics.describe(
            "sightscreen_roster_mismatches_total",
            help: "Shards that were not in memory as the table has them, and were read anew.")
        context.metrics.describe("sightscreen_apns_token_age_seconds", help: "Age of the provider token.")
        context.metrics.describe(
            "sightscreen_stalls_total", help: "Times that this process did not run for half a second or more.")
    }

    public func run() async throws {
        beginCounters()
        readiness.set("database", false, reason: "waiting for PostgreSQL and its schema")
        let isThere: Bool = try await cancelWhenGracefulShutdown {
            do { try await DatabaseStart.wait(for: pool, logger: logger) } catch is CancellationError { return false }
            return true
        }
        guard isThere else { return await pool.close() }
        try await presence.begin { try await configuration.vault.check(pool) }
        readiness.set("database", true)
        let keeper = LeaseKeeper(
            store: LeaseStore(pool: pool), instance: configuration.instance, duration: configuration.leaseDuration,
            logger: logger)
        let coordinator = try LACoordinator(
            configuration: configuration, pool: pool, calls: calls, readiness: readiness, logger: logger,
            tracer: tracer,
            leases: {
                await keeper.leases.compactMap { ShardLease($0) }
            })
        await keeper.share((0..<DeviceRoute.shardCount).map { LeaseName.shard($0) }, of: "shard") { names in
            await coordinator.release(names.compactMap(\.shard)).map { LeaseName.shard($0) }
        }
        try await withLastResort({ [pool] in await pool.close() }) {
            // The leases outlast the pushes in flight: they are released at the end of this scope.
            async let _: Void = keeper.run()
            try await cancelWhenGracefulShutdown { try await serve(coordinator) }
        }
        await pool.close()
    }

    /// Counters start at 0, so that an alert on their growth sees the first event, too.
    private func beginCounters() {
        ChannelCalls.beginCounters()
        FanOutMetrics.beginCounters()
        ReportHandler.beginCounters()
        for counter in ["sightscreen_alerts_lost_total", "sightscreen_roster_mismatches_total"] {
            Counter(label: counter).increment(by: 0)
        }
        for kind in TokenKind.allCases {
            Counter(label: "sightscreen_bad_tokens_retired_total", dimensions: [("kind", kind.rawValue)]).increment(
                by: 0)
        }
        for failure in PushFailure.all {
            Counter(label: "sightscreen_push_failures_total", dimensions: [("reason", failure.name)]).increment(by: 0)
        }
    }

    private func serve(_ coordinator: LACoordinator) async throws {
        let server = WireServer(
            path: "\(configuration.runDirectory)/la-coordinator/\(configuration.instance).sock", logger: logger)
        server.on(MatchUpdated.self) { message, _ in await coordinator.matchUpdated(message) }
        server.on(HoldsChanged.self) { _, _ in coordinator.holdsChanged() }
        server.on(ActivitiesChanged.self) { _, _ in coordinator.activitiesChanged() }
        // Notices sent while a peer was not connected are not repeated, so everything is read again.
        server.onConnect { _ in coordinator.connected() }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await server.run() }
            group.addTask { await coordinator.run() }
            group.addTask { await presence.run() }
            try await group.next()
            group.cancelAll()
            try await group.waitForAll()
        }
    }
}
