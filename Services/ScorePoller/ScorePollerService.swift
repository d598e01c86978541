import HTTPClient
import Logging
import Metrics
import Postgres
public import ServiceKit
public import ServiceLifecycle
import Store
import Wire

/// The service `score-poller`: waits for the database, then polls every group whose lease it acquires.
public struct ScorePollerService: Service, CustomStringConvertible {
    private let configuration: ScorePollerConfiguration
    private let logger: Logger
    private let readiness: Readiness
    private let tracer: Tracer
    private let context: ServiceContext
    /// The longest time without an event-bus; a restart takes less.
    private let busPatience: Duration

    public var description: String { "score-poller" }

    public init(
        _ configuration: ScorePollerConfiguration, _ context: ServiceContext, busPatience: Duration = .seconds(3)
    ) {
        self.configuration = configuration
        self.context = context
        logger = context.logger
        readiness = context.readiness
        tracer = context.tracer
        self.busPatience = busPatience
    }

    public func run() async throws {
        readiness.set("database", false, reason: "waiting for PostgreSQL")
        try await cancelWhenGracefulShutdown {
            let pool = try configuration.database.pool(
                size: 2, applicationName: "score-poller/\(configuration.instance)")
            try await withLastResort({ await pool.close() }) {
                do {
                    try await DatabaseStart.wait(for: pool, logger: logger)
                    let presence = Presence(
                        pool: pool, service: "score-poller", instance: configuration.instance, context: context)
                    try await presence.begin()
                    readiness.set("database", true)
                    await work(pool, presence)
                } catch is CancellationError {
                    // The service was stopped while waiting, before anything began.
                }
            }
            await pool.close()
        }
    }

    private func work(_ pool: PostgresPool, _ presence: Presence) async {
        // The meter is visible before there is a match; an alert on the growth of a counter sees the first event, too.
        Meter(label: "sightscreen_frames_waiting").increment(by: 0)
        FrameSender.beginCounters()
        GroupPoller.beginCounters()
        let leases = LeaseKeeper(
            store: LeaseStore(pool: pool), instance: configuration.instance, duration: configuration.leaseDuration,
            logger: logger)
        let buses = WireDirectory(runDirectory: configuration.runDirectory, service: "event-bus", logger: logger)
        let http = HTTPClient(
            configuration: .init(
                allowHTTP: configuration.allowsStandIns,
                onAnswer: { [calls = context.calls] in calls.record(.provider, status: $0) }))
        let recorders = configuration.groups.map { group in
            configuration.recordFolder.map { AnswerRecorder(folder: $0, group: group.name, logger: logger) }
        }
        let pollers = zip(configuration.groups, recorders).map { group, recorder in
            GroupPoller(
                group: group, configuration: configuration,
                provider: ProviderClient(
                    base: configuration.provider, token: configuration.apiToken, http: http, recorder: recorder),
                leases: leases, pool: pool, buses: buses, logger: logger, readiness: readiness,
                tracer: tracer)
        }
        await buses.onConnect { bus in
            for poller in pollers { await poller.busConnected(bus) }
        }
        // Several groups are shared among the pollers; a single group belongs to the first that acquires it.
        if configuration.groups.count > 1 {
            await leases.share(configuration.groups.map { LeaseName.poll($0.name) }, of: "poll")
        }
        await withTaskGroup(of: Void.self) { tasks in
            tasks.addTask { await presence.run() }
            tasks.addTask { await leases.run() }
            tasks.addTask { try? await buses.run() }
            tasks.addTask { await standByWithoutBus(leases, buses) }
            for (poller, recorder) in zip(pollers, recorders) {
                tasks.addTask {
                    await poller.run()
                    // The tape ends at once, because other tasks may wait for the database.
                    await recorder?.finish()
                }
            }
        }
    }

    /// Goes on standby while no bus of this host is connected, since frames go only to those; a poller of another host
    /// may have a bus and then gets the groups. A poller that records a tape stays, because the tape is wanted in any
    /// case.
    private func standByWithoutBus(_ leases: LeaseKeeper, _ buses: WireDirectory) async {
        guard configuration.recordFolder == nil else { return }
        var seenAt = ContinuousClock.now
        var isStandby = false
        while !Task.isCancelled {
            try? await Task.sleep(for: .milliseconds(200))
            if await !buses.instances().isEmpty { seenAt = .now }
            let isAlone = .now - seenAt > busPatience
            guard isAlone != isStandby, !Task.isCancelled else { continue }
            isStandby = isAlone
            if isStandby {
                logger.warning("No event-bus is connected: the poll groups are left to other pollers")
                readiness.set("event-bus", false, reason: "none is connected")
            } else {
                logger.info("An event-bus is connected again")
                readiness.set("event-bus", true)
            }
            await leases.setStandby(isStandby)
        }
    }
}
