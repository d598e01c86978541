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
/// The tables are read when a notification names something, and twice a second; a version that comes with its notification is fanned out at
/// once, unless this process did not run for a while and has not read since. Nothing here must survive: another coordinator
/// goes on from the tables.
public final class LACoordinator: Sendable {
    /// How often the tables are read without a notification. Half of the age at which what is known is too old.
    public static let interval = Duration.milliseconds(500)

    /// Some tests have it shorter or longer than a service.
    package struct Timing: Sendable {
        package var interval: Duration
        package var auditInterval: Duration
        /// How long what is claimed may take when it is to stop.
        package var drainMax: Duration

        package init(
            interval: Duration = LACoordinator.interval, auditInterval: Duration, drainMax: Duration = .seconds(3)
        ) {
            self.interval = interval
            self.auditInterval = auditInterval
            self.drainMax = drainMax
        }
    }

    private let drainMax: Duration
    private let fanOut: FanOutLoops
    private let schedule: Schedule
    private let holds: HoldWatch
    private let heart: Heart
    private let roster: ShardRoster
    private let progress: ProgressWriter
    private let publisher: MatchPublisher
    private let senders: OneShotSenders
    private let pass: Pass
    private let answers: ReportAnswers
    /// What goes on beside the passes, each until its task is cancelled.
    private let background: [@Sendable () async -> Void]

    /// - Parameter leases: the shards this process holds now, with the proof.
    package init(
        configuration: LACoordinatorConfiguration, pool: PostgresPool, logger: Logger, tracer: Tracer = .off,
        timing: Timing? = nil, freezes: FreezeWatch? = nil, leases: @escaping @Sendable () async -> [ShardHold]
    ) throws {
        let timing = timing ?? Timing(auditInterval: configuration.auditInterval)
        drainMax = timing.drainMax
        let (store, brakes, gates) = (
            ActivityStore(pool: pool, vault: configuration.vault), Brakes(), StartGates()
        )
        let freezes = freezes ?? FreezeWatch(ageMax: max(FreezeWatch.ageMax, timing.interval * 2))
        let reports = FanOutReports(loops: configuration.threads)
        fanOut = FanOutLoops(.init(configuration), brakes: brakes, report: reports.add)
        schedule = Schedule(interval: timing.interval)
        holds = try HoldWatch(
            database: configuration.database, instance: configuration.instance, brakes: brakes, freezes: freezes,
            logger: logger)
        heart = Heart(freezes) { [holds, schedule] in
            holds.look()
            schedule.readAll()
        }
        roster = ShardRoster(
            store: store, fanOut: fanOut, freezes: freezes, startGates: gates, logger: logger, leases: leases)
        progress = ProgressWriter(
            store: store, fanOut: fanOut, instance: configuration.instance, tracer: tracer, logger: logger)
        publisher = MatchPublisher(
            store: store, fanOut: fanOut, roster: roster, progress: progress, configuration: configuration,
            tracer: tracer, logger: logger)
        senders = OneShotSenders(
            store: store, fanOut: fanOut, publisher: publisher, gates: gates, brakes: brakes, schedule: schedule,
            configuration: configuration, logger: logger)
        let apns = configuration.apns
        let tokens = ProviderTokens(
            source: try ProviderTokenSource(
                store: ProviderTokenStore(pool: pool, vault: configuration.vault), keyID: apns.keyID,
                teamID: apns.teamID, signer: apns.signer,
                minAge: apns.tokenMinAge), fanOut: fanOut)
        pass = Pass(
            publisher: publisher, tokens: tokens, roster: roster, senders: senders, progress: progress, fanOut: fanOut,
            logger: logger)
        answers = ReportAnswers(
            reports: reports, publisher: publisher, senders: senders, tokens: tokens, schedule: schedule, logger: logger
        )
        let metrics = FanOutMetrics(fanOut: fanOut, tokens: tokens, freezes: freezes)
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

    /// A version was committed; it goes out at once.
    public func matchUpdated(_ message: MatchUpdated) async {
        let update = message.update
        await publisher.publish(update)
        // Some before it were not heard of.
        if await !publisher.isKnown(update.matchID, update.version) { schedule.read(update.matchID) }
    }

    /// Rows of `live_activities` changed.
    public func activitiesChanged() { schedule.readActivities() }

    /// A peer has connected: notifications sent before may be missing.
    func connected() { schedule.readAll() }

    /// The operator set or lifted a hold.
    public func holdsChanged() { holds.look() }

    /// Phones that are taken in.
    package func phones() async -> Int { await fanOut.onEach { $0.count }.reduce(0, +) }

    package func pushesInFlight() async -> Int { await fanOut.onEach { $0.inFlight }.reduce(0, +) }

    /// Whether a hold of the operator keeps from leaving what a hold of this level does.
    package func stops(_ level: HoldLevel, of match: MatchID) -> Bool { holds.stops(level, of: match) }

    /// Ends the work on shards that another one is to have.
    /// - Returns: those on which it is ended.
    package func letGo(_ shards: [Int]) async -> [Int] {
        await roster.letGo(shards) { [progress] in try? await progress.settle($0) }
    }

    // MARK: - Running

    /// Works until cancelled; then waits a moment for the answers of what is under way.
    public func run() async {
        await fanOut.open()
        await heart.start()
        let watching = Task { [holds, schedule] in await holds.run { schedule.readAll() } }
        let answering = Task { [answers] in await answers.run() }
        // A pass may still take its time, or the process stand still.
        let askedToStop = Mutex<ContinuousClock.Instant?>(nil)
        await withTaskCancellationHandler {
            await withTaskGroup(of: Void.self) { group in
                for work in background { group.addTask { await work() } }
                // A hold that was set before we began is in force from our first push on.
                await schedule.run { if holds.areKnown { await pass.run($0) } }
                group.cancelAll()
            }
        } onCancel: {
            askedToStop.withLock { $0 = $0 ?? .now }
        }
        let deadline = (askedToStop.withLock { $0 } ?? .now) + drainMax
        await Task { await self.drain(until: deadline) }.value
        await heart.stop()
        await holds.close(ending: watching)
        answering.cancel()
    }

    private func drain(until deadline: ContinuousClock.Instant) async {
        // What is claimed nobody else can tell; all the rest whoever takes over does.
        let time = ContinuousClock.now.duration(to: deadline)
        await fanOut.onEach { $0.finish(within: time) }
        while .now < deadline {
            let isBusy = await fanOut.onEach { $0.isBusy }.contains(true)
            guard senders.isBusy || isBusy else { break }
            await roster.extendTrusts()
            // Who unfollows meanwhile gets nothing more; and what knows nothing newer than a standstill sends nothing.
            try? await roster.readChanges(publisher.clock)
            try? await Task.sleep(for: .milliseconds(20))
        }
        await roster.stop()
        await senders.verdicts.write()
        try? await progress.settle(roster.held)
        await FanOutMetrics.count(fanOut)
        await progress.endSpans()
        try? await progress.note(isLast: true)
        await fanOut.close()
    }
}
