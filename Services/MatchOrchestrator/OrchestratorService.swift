import Activities
public import Logging
import Messages
import Postgres
public import ServiceKit
public import ServiceLifecycle
import Store
import Wire

/// `orchestrator`: one of those that run has the lease and works, the others stand by.
public struct OrchestratorService: Service {
    private let settings: OrchestratorSettings
    private let instance: String
    private let runDirectory: String
    private let readiness: Readiness
    private let logger: Logger

    public init(
        _ settings: OrchestratorSettings, instance: String, runDirectory: String, readiness: Readiness, logger: Logger
    ) {
        self.settings = settings
        self.instance = instance
        self.runDirectory = runDirectory
        self.readiness = readiness
        self.logger = logger
        readiness.set("database", false, reason: "not reached yet")
    }

    public func run() async throws {
        let pool = try settings.database.pool(applicationName: "orchestrator/\(instance)")
        try await withLastResort({ await pool.close() }) {
            try await cancelWhenGracefulShutdown { try await serve(pool) }
        }
        await pool.close()
    }

    private func serve(_ pool: PostgresPool) async throws {
        do { try await DatabaseStart.wait(for: pool, logger: logger) } catch is CancellationError { return }
        readiness.set("database", true, reason: nil)

        let leases = LeaseKeeper(
            store: LeaseStore(pool: pool), instance: instance, duration: settings.leaseDuration, logger: logger)
        let coordinators = WireDirectory(runDirectory: runDirectory, service: "la-coordinator", logger: logger)
        let sync = FixtureSync(
            source: SportMonksSchedule(
                url: settings.providerURL, token: settings.providerToken, allowsHTTP: settings.allowsHTTP,
                calls: ProviderCallStore(pool: pool), hourlyLimit: settings.hourlyLimit),
            store: FixtureStore(pool: pool), hourlyLimit: settings.hourlyLimit, logger: logger)
        let orchestrator = MatchOrchestrator(
            store: OrchestratorStore(pool: pool),
            timing: .init(
                interval: settings.interval, startLead: settings.startLead, resultHold: settings.resultHold,
                followRetention: settings.followRetention, fallback: StartFallback(wait: settings.fallbackWait),
                renewal: RenewalRule(after: settings.renewAfter)),
            logger: logger
        ) { match in
            await coordinators.broadcast(ActivitiesChanged(matchID: match))
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await leases.run() }
            group.addTask { try await coordinators.run() }
            // On their own, so that a slow provider keeps no activity waiting.
            group.addTask { [interval = settings.interval] in
                while let lease = await leases.waitForLease(.orchestrator) {
                    await sync.runOnce(under: lease)
                    try? await Task.sleep(for: interval)
                }
            }
            group.addTask { [logger] in
                var epoch: Int64 = 0
                while true {
                    if await leases.lease(for: .orchestrator) == nil { await orchestrator.retire() }
                    guard let lease = await leases.waitForLease(.orchestrator) else { return }
                    if epoch != lease.epoch {
                        logger.info("This orchestrator is in charge", metadata: ["lease.epoch": "\(lease.epoch)"])
                        epoch = lease.epoch
                    }
                    let pause = await orchestrator.runOnce(under: lease, syncs: await sync.completed)
                    try? await Task.sleep(for: pause)
                }
            }
            defer { group.cancelAll() }
            // None of them ends by itself: the first to do so ends the service.
            try await group.next()
        }
    }
}
