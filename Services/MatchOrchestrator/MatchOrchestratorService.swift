import Activities
import Logging
import Messages
import Postgres
public import ServiceKit
public import ServiceLifecycle
import Store
import Wire

/// `orchestrator`: of the instances that run, one holds the lease and works; the others stand by.
public struct MatchOrchestratorService: Service {
    private let configuration: MatchOrchestratorConfiguration
    private let readiness: Readiness
    private let logger: Logger
    private let context: ServiceContext

    public init(_ configuration: MatchOrchestratorConfiguration, _ context: ServiceContext) {
        self.configuration = configuration
        self.context = context
        readiness = context.readiness
        logger = context.logger
        readiness.set("database", false, reason: "not reached yet")
    }

    public func run() async throws {
        let pool = try configuration.database.pool(applicationName: "orchestrator/\(configuration.instance)")
        try await withLastResort({ await pool.close() }) {
            try await cancelWhenGracefulShutdown { try await serve(pool) }
        }
        await pool.close()
    }

    private func serve(_ pool: PostgresPool) async throws {
        do { try await DatabaseStart.wait(for: pool, logger: logger) } catch is CancellationError { return }
        let presence = Presence(
            pool: pool, service: "orchestrator", instance: configuration.instance, context: context)
        try await presence.begin()
        readiness.set("database", true, reason: nil)

        let leases = LeaseKeeper(
            store: LeaseStore(pool: pool), instance: configuration.instance, duration: configuration.leaseDuration,
            logger: logger)
        let coordinators = WireDirectory(
            runDirectory: configuration.runDirectory, service: "la-coordinator", logger: logger)
        let sync = FixtureSync(
            source: SportMonksSchedule(
                url: configuration.providerURL, token: configuration.providerToken,
                allowsHTTP: configuration.allowsHTTP, lastCalls: context.calls,
                calls: ProviderCallStore(pool: pool), hourlyLimit: configuration.hourlyLimit),
            store: FixtureStore(pool: pool), hourlyLimit: configuration.hourlyLimit,
            logoHosts: configuration.logoHosts, logger: logger, readiness: readiness)
        let orchestrator = MatchOrchestrator(
            store: OrchestratorStore(pool: pool),
            timing: .init(
                interval: configuration.interval, startLead: configuration.startLead,
                resultHold: configuration.resultHold,
                followRetention: configuration.followRetention,
                fallback: StartFallback(wait: configuration.fallbackWait),
                renewal: RenewalRule(after: configuration.renewAfter),
                channelFollowersMin: configuration.channelFollowersMin),
            logger: logger
        ) { match in
            await coordinators.broadcast(ActivitiesChanged(matchID: match))
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await presence.run() }
            group.addTask { await leases.run() }
            group.addTask { try await coordinators.run() }
            // The sync has a task of its own, so that a slow provider delays no activity.
            group.addTask { [interval = configuration.interval] in
                while let lease = await leases.waitForLease(.orchestrator) {
                    await sync.runOnce(under: lease)
                    try? await Task.sleep(for: interval)
                }
            }
            group.addTask { [logger, readiness] in
                var epoch: Int64 = 0
                while true {
                    if await leases.lease(for: .orchestrator) == nil {
                        await orchestrator.retire()
                        // The orchestrator in charge reports on the provider.
                        readiness.remove("provider")
                    }
                    guard let lease = await leases.waitForLease(.orchestrator) else { return }
                    if epoch != lease.epoch {
                        logger.info("This orchestrator is in charge", metadata: ["lease.epoch": "\(lease.epoch)"])
                        epoch = lease.epoch
                    }
                    let pause = await orchestrator.runOnce(under: lease, syncs: await sync.completed)
                    await orchestrator.rest(for: pause)
                }
            }
            defer { group.cancelAll() }
            // None of the tasks ends by itself; when one does, the service ends.
            try await group.next()
        }
    }
}
