package import FanOut
package import Logging
public import Messages
package import Postgres
package import ServiceKit
package import SightscreenModels
import Store
import Synchronization

/// Brings every activity of its shards to the newest state of its match, starts what is pending, and ends what is due.
///
/// The tables are read when a notification names something, and twice a second. A version that arrives with its
/// notification is fanned out at once, unless this process stalled and has not read the tables since. Nothing in memory
/// must survive: another coordinator goes on from the tables.
public final class LACoordinator: Sendable {
    /// The interval at which the tables are read without a notification: half of the age at which what is known is too
    /// old.
    public static let interval = Duration.milliseconds(500)

    /// Intervals that some tests make shorter or longer than a service does.
    package struct Timing: Sendable {
        package var interval: Duration
        package var auditInterval: Duration
        /// How long claimed pushes may take after the service was asked to stop.
        package var drainMax: Duration
        /// How long a new phone does not count among those that are behind.
        package var newFor: Duration

        package init(
            interval: Duration = LACoordinator.interval, auditInterval: Duration, drainMax: Duration = .seconds(3),
            newFor: Duration = .seconds(30)
        ) {
            self.interval = interval
            self.auditInterval = auditInterval
            self.drainMax = drainMax
            self.newFor = newFor
        }
    }

    private let drainMax: Duration
    private let fanOut: FanOutLoops
    private let calls: LastCalls
    private let schedule: Schedule
    private let holds: HoldMonitor
    private let heartbeat: Heartbeat
    private let roster: ShardRoster
    private let progress: ProgressWriter
    private let publisher: MatchPublisher
    private let senders: OneShotSenders
    private let pass: Pass
    private let answers: ReportHandler
    /// Work that runs beside the passes, each part until its task is cancelled.
    private let background: [@Sendable () async -> Void]

    /// - Parameter leases: returns the shard leases that this process holds now.
    package init(
        configuration: LACoordinatorConfiguration, pool: PostgresPool, calls: LastCalls = LastCalls(),
        readiness: Readiness = Readiness(), logger: Logger, tracer: Tracer = .off,
        timing: Timing? = nil, stalls: StallDetector? = nil, leases: @escaping @Sendable () async -> [ShardLease]
    ) throws {
        let timing = timing ?? Timing(auditInterval: configuration.auditInterval)
        drainMax = timing.drainMax
        self.calls = calls
        let (store, matchHolds, gates) = (
            ActivityStore(pool: pool, vault: configuration.vault, bundleID: configuration.apns.bundleID), MatchHolds(),
            StartGates()
        )
        let stalls = stalls ?? StallDetector(ageMax: max(StallDetector.ageMax, timing.interval * 2))
        let reports = FanOutReports(loops: configuration.threads)
        fanOut = FanOutLoops(
            .init(configuration, newFor: timing.newFor), matchHolds: matchHolds, report: reports.add)
        schedule = Schedule(interval: timing.interval)
        holds = try HoldMonitor(
            database: configuration.database, instance: configuration.instance, matchHolds: matchHolds, stalls: stalls,
            logger: logger)
        heartbeat = Heartbeat(stalls) { [holds, schedule] in
            holds.readSoon()
            schedule.readAll()
        }
        roster = ShardRoster(
            store: store, fanOut: fanOut, stalls: stalls, startGates: gates, logger: logger, leases: leases)
        progress = ProgressWriter(
            store: store, fanOut: fanOut, instance: configuration.instance, tracer: tracer, logger: logger)
        publisher = MatchPublisher(
            store: store, fanOut: fanOut, roster: roster, progress: progress, configuration: configuration,
            tracer: tracer, logger: logger)
        senders = OneShotSenders(
            store: store, fanOut: fanOut, publisher: publisher, gates: gates, matchHolds: matchHolds,
            schedule: schedule,
            configuration: configuration, logger: logger)
        let apns = configuration.apns
        let tokens = ProviderTokens(
            source: try ProviderTokenSource(
                store: ProviderTokenStore(pool: pool, vault: configuration.vault), keyID: apns.keyID,
                teamID: apns.teamID, signer: apns.signer,
                minAge: apns.tokenMinAge), fanOut: fanOut)
        let channels = ChannelKeeper(
            store: ChannelStore(pool: pool),
            manager: ChannelManager(configuration, calls) { try await tokens.current() }, fanOut: fanOut,
            publisher: publisher, matchHolds: matchHolds, configuration: configuration, logger: logger)
        pass = Pass(
            publisher: publisher, tokens: tokens, roster: roster, senders: senders, channels: channels,
            progress: progress, fanOut: fanOut, calls: calls, logger: logger)
        answers = ReportHandler(
            reports: reports, publisher: publisher, senders: senders, tokens: tokens, channels: channels,
            schedule: schedule, logger: logger)
        let metrics = FanOutMetrics(
            fanOut: fanOut, tokens: tokens, stalls: stalls, store: store, readiness: readiness, logger: logger)
        let audit = RosterAudit(
            store: store, fanOut: fanOut, roster: roster, interval: timing.auditInterval, logger: logger)
        background = [
            { [schedule, roster] in await schedule.tick { await roster.extendTrusts() } },
            { [schedule, publisher] in await publisher.listen(to: store.hints(), schedule) },
            metrics.run,
            audit.run,
        ]
    }

    // MARK: - Notifications

    /// Publishes a version that was committed, at once.
    public func matchUpdated(_ message: MatchUpdated) async {
        let update = message.update
        await publisher.publish(update)
        // Versions before this one were not seen, so they are read.
        if await !publisher.isKnown(update.matchID, update.committed) { schedule.read(update.matchID) }
    }

    /// Schedules a reading of the rows of `live_activities` that changed.
    public func activitiesChanged() { schedule.readActivities() }

    /// Schedules a full reading, because a peer has connected: notifications sent before may be missing.
    func connected() { schedule.readAll() }

    /// Has the holds read, because the operator set or lifted one.
    public func holdsChanged() { holds.readSoon() }

    /// The number of activities in the loops.
    package func phones() async -> Int { await fanOut.onEach { $0.count }.reduce(0, +) }

    package func pushesInFlight() async -> Int { await fanOut.onEach { $0.inFlight }.reduce(0, +) }

    /// Whether a hold of this level, or a stronger one, is in force for the match, set for it or for everywhere.
    package func stops(_ level: HoldLevel, of match: MatchID) -> Bool { holds.stops(level, of: match) }

    /// Ends the work on shards that another process is to acquire.
    /// - Returns: the shards on which work has ended.
    package func release(_ shards: [Int]) async -> [Int] {
        await roster.release(shards) { [progress] in try? await progress.settle($0) }
    }

    // MARK: - Running

    /// Works until cancelled, then waits up to `drainMax` for the answers to pushes in flight.
    public func run() async {
        await fanOut.open()
        await heartbeat.start()
        let watching = Task { [holds, schedule] in await holds.run { schedule.readAll() } }
        let answering = Task { [answers] in await answers.run() }
        // The deadline counts from the cancellation, because the pass may still take its time or the process may stall.
        let askedToStop = Mutex<ContinuousClock.Instant?>(nil)
        await withTaskCancellationHandler {
            await withTaskGroup(of: Void.self) { group in
                for work in background { group.addTask { await work() } }
                // No pass runs before the holds are known, so that a hold set earlier is in force from the first push
                // on.
                await schedule.run { if holds.areKnown { await pass.run($0) } }
                group.cancelAll()
            }
        } onCancel: {
            askedToStop.withLock { $0 = $0 ?? .now }
        }
        let deadline = (askedToStop.withLock { $0 } ?? .now) + drainMax
        await Task { await self.drain(until: deadline) }.value
        await heartbeat.stop()
        await holds.close(ending: watching)
        answering.cancel()
    }

    private func drain(until deadline: ContinuousClock.Instant) async {
        // Only this process can send the alerts that it has claimed; the process that takes over sends the rest.
        let time = ContinuousClock.now.duration(to: deadline)
        await fanOut.onEach { $0.finish(within: time) }
        while .now < deadline {
            let isBusy = await fanOut.onEach { $0.isBusy }.contains(true)
            guard senders.isBusy || isBusy else { break }
            await roster.extendTrusts()
            // A user who unfollows meanwhile gets nothing more. Without these readings, what is known would be too old
            // after a second and nothing could be sent.
            try? await roster.readChanges(publisher.clock)
            try? await Task.sleep(for: .milliseconds(20))
        }
        await roster.stop()
        await senders.tokenOutcomes.write()
        try? await progress.settle(roster.held)
        await FanOutMetrics.count(fanOut, calls)
        await progress.endSpans()
        try? await progress.note(isLast: true)
        await fanOut.close()
    }
}
