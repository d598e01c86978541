import APNsProtocol
import Activities
import HTTP2
package import Messages
package import Reactor
package import SightscreenModels

/// Pushes the newest state of each match to the phones of some shards, over connections of its own, on one thread.
///
/// Nothing waits in a queue per push: a connection with room asks for the next one, and what it gets is decided then, by
/// what is newest, claimed, held and trusted at that moment.
///
/// `@unchecked Sendable`: everything in it is touched on its reactor's thread alone; `FanOutActor` is the way in.
package final class FanOutLoop: @unchecked Sendable {
    private enum State {
        case running
        /// Alerts that are claimed are told until then, by `MonotonicTime`, and nothing else begins any more.
        case finishing(until: Int64)
        case closed
    }

    let rules: LoopMatch.Rules
    let brakes: Brakes
    let malformed: RareReports
    let report: @Sendable (FanOutReport) -> Void
    private let entrance: FanOutActor
    private var state = State.running
    private(set) var lines: [APNsEnvironment: APNsLines] = [:]
    var shards = LoopShards()
    var matches: [MatchID: LoopMatch] = [:]
    var cohorts = CohortTable()
    private var delayed = DelayedRows(now: MonotonicTime.now)
    var immediates = ImmediateBudget()
    var tally = LoopTally()
    package var clock = DatabaseClock(seconds: 0)
    package var authorization: ProviderAuthorization? {
        didSet { if authorization?.serial != oldValue?.serial { for line in lines.values { line.tokenChanged() } } }
    }
    let path = TokenPath()

    init(
        reactor: Reactor, rules: LoopMatch.Rules, brakes: Brakes, malformed: RareReports,
        report: @escaping @Sendable (FanOutReport) -> Void
    ) {
        entrance = FanOutActor(reactor: reactor)
        self.rules = rules
        self.brakes = brakes
        self.malformed = malformed
        self.report = report
    }

    deinit { path.deallocate() }

    var reactor: Reactor { entrance.reactor }

    var isFinishing: Bool { if case .finishing = state { true } else { false } }

    /// Everything below is called in `body` of this.
    func onThread<Result: Sendable>(_ body: @Sendable () -> Result) async -> Result { await entrance.run(body) }

    func open(_ lines: [APNsEnvironment: APNsLines]) {
        self.lines = lines
        scheduleTick()
    }

    /// From now on nothing goes but what is claimed and not told. Some of it may be among the states: to phones that had a push
    /// under way when the others of their shard were alerted.
    /// - Parameter time: how long that may take.
    package func finish(within time: Duration) {
        state = .finishing(until: MonotonicTime.now + MonotonicTime.nanoseconds(time))
        for match in matches.values {
            stopWaiting(match)
            for cohort in match.cohorts
            where cohort.work.sweep != .alert && cohort.work != .unclaimed && owesAlert(cohort) {
                start(cohort)
            }
        }
        wake()
    }

    /// Pushes are under way, or alerts are claimed that nobody else can tell.
    package var isBusy: Bool {
        inFlight > 0
            || matches.values.contains { match in
                // What the lease holds up for a moment goes on.
                match.claim != nil
                    || match.cohorts.contains {
                        $0.work == .listed(.alert) || $0.work == .heldUp(.alert) && !match.brake.stops(.pushes)
                            || isFinishing && !$0.awaitingStamp.isEmpty
                    }
            } || tellsLater
    }

    /// A phone that was refused an alert is told after a while, and that is soon enough.
    private var tellsLater: Bool {
        guard case .finishing(let end) = state else { return false }
        return delayed.contains(until: end) { owesAlert($0.cohort, $0.slot, now: clock.seconds) }
    }

    func close() {
        state = .closed
        for line in lines.values { line.close() }
    }

    // MARK: - Shards and phones

    package func hold(_ shard: Int, _ trust: ShardTrust, isComplete: Bool) {
        shards.hold(shard, trust, isComplete: isComplete)
    }

    package func complete(_ some: [Int]) {
        shards.complete(some)
        for match in matches.values { claimNext(match) }
        wake()
    }

    // MARK: - Versions and alerts

    /// Versions were committed, or the newest one is repeated with a stamp of now. Of several of a match the newest goes out,
    /// with what the others have to tell.
    /// - Returns: how far those were whose places they take.
    package func publish(_ updates: [MatchUpdate], repeatsQuietly: Bool = false) -> [MatchID: VersionProgress] {
        var moved: [MatchID: LoopMatch] = [:]
        for update in updates {
            let match = match(update.matchID)
            match.usedAt = MonotonicTime.now
            if match.publish(update, repeatsQuietly: repeatsQuietly) { moved[match.id] = match }
        }
        let before = moved.mapValues(\.progressNow)
        for match in moved.values { go(match) }
        wake()
        return before
    }

    private func go(_ match: LoopMatch) {
        match.forgetOldAlerts(now: clock.seconds)
        let phones = match.cohorts.reduce(0) { $0 + $1.count }
        if match.brake.stops(.pushes) { tally.held += phones }
        match.progress = VersionProgress()
        match.progress.version = match.update?.version.rawValue ?? 0
        match.progress.publishedAt = MonotonicTime.now
        let few = match.cohorts.reduce(0) { $0 + $1.infrequent.count }
        match.progress.targeted = match.coarse.stamp < match.stamp ? phones - few : phones
        match.unclaimed.removeAll()
        for cohort in match.cohorts {
            cohort.goOn()
            // What is newer is no repetition.
            cohort.unpark(.max)
            if waits(cohort) { waitForClaim(cohort) } else { start(cohort) }
        }
        claimNext(match)
    }

    /// How things stand.
    package func measure() -> FanOutMeasure {
        var measure = FanOutMeasure(phones: count)
        for (environment, line) in lines {
            measure.lines[environment] = .init(connections: line.openConnections, inFlight: line.inFlight)
        }
        for match in matches.values {
            let progress = match.progressNow
            guard !progress.isComplete, progress.targeted > 0, progress.publishedAt > 0 else { continue }
            measure.lag = max(measure.lag, MonotonicTime.now - progress.publishedAt)
        }
        return measure
    }

    func wake() { for line in lines.values { line.wake() } }

    /// Sends a push that is no update.
    /// - Parameter finish: is told once what became of it.
    func send(_ push: OneShot, to environment: APNsEnvironment, finish: @escaping @Sendable (PushResult) -> Void) {
        guard let lines = lines[environment] else { return finish(.refused) }
        lines.send(push, finish: finish)
    }

    /// How far the newest version of a match is.
    package func progress(_ match: MatchID) -> VersionProgress { matches[match]?.progressNow ?? VersionProgress() }

    /// What was done since that was last asked.
    package func takeCounts() -> FanOutCounts {
        var counts = FanOutCounts()
        (counts.held, counts.failures) = (tally.held, tally.failures)
        for (environment, lines) in lines {
            let (pushes, repetitions) = lines.takeCounts()
            counts.pushes.merge(pushes) { $0 + $1 }
            counts.repetitions += repetitions
            counts.stopped[environment] = lines.stopCause == nil ? 0 : 1
        }
        (tally.held, tally.failures) = (0, [:])
        return counts
    }

    /// The answer to `FanOutReport.stamp`.
    /// - Parameter stamp: nil: there is none now.
    package func takeFresh(_ stamp: FreshStamp?, of id: MatchID) {
        guard let match = matches[id] else { return }
        match.isTakingStamp = false
        if let stamp { match.fresh = stamp }
        for cohort in match.cohorts where !cohort.awaitingStamp.isEmpty {
            cohort.goOn()
            list(cohort)
        }
        wake()
    }

    // MARK: - Work

    /// From the first row on.
    func start(_ cohort: TokenCohort) {
        cohort.cursor = 0
        lines[cohort.environment]?.list(cohort, for: cohort.gained.isEmpty ? .state : .alert)
    }

    func list(_ cohort: TokenCohort) {
        switch cohort.work {
        case .listed, .unclaimed: return
        case .none: cohort.cursor = cohort.slots
        case .heldUp: break
        }
        let tellsAlerts = isFinishing && !cohort.gained.isEmpty
        lines[cohort.environment]?.list(cohort, for: tellsAlerts ? .alert : cohort.work.sweep ?? .state)
    }

    /// Looks at a row again after a while.
    func delay(_ cohort: TokenCohort, _ slot: Int, by delay: Duration) {
        guard !cohort.row(slot).pointee.flags.contains(.isQueued) else { return }
        cohort.row(slot).pointee.flags.insert(.isQueued)
        delayed.add(cohort, slot, until: MonotonicTime.now + MonotonicTime.nanoseconds(delay))
    }

    private func scheduleTick() {
        if case .closed = state { return }
        reactor.schedule(after: DelayedRows.interval) { [self] in
            let now = MonotonicTime.now
            for (cohort, slot) in delayed.due(now) where cohort.stage != .lost {
                // It is in the other list from now on.
                cohort.again.append(Int32(slot))
                list(cohort)
            }
            for line in lines.values {
                let believed = line.badTokens.judge(now: now, phones: line.provenPhones, where: stands)
                for suspect in believed { convict(suspect) }
            }
            // What the operator or the lease held up may go on.
            for match in matches.values {
                for cohort in match.cohorts {
                    if cohort.work.isHeldUp { list(cohort) }
                    if !cohort.parked.isEmpty { unpark(cohort) }
                }
                giveUpLateClaim(match)
                claimUntried(match)
                if match.coarsen(now: clock.seconds) { goToInfrequent(match) }
            }
            for line in lines.values { (line.phones, line.provenPhones) = (0, 0) }
            for cohort in cohorts.all {
                lines[cohort.environment]?.phones += cohort.count
                lines[cohort.environment]?.provenPhones += cohort.provenCount
            }
            for line in lines.values {
                line.tick(now)
            }
            for news in tally.takeReports() { report(news) }
            wake()
            scheduleTick()
        }
    }

    /// Nothing better has come for phones with few updates.
    private func goToInfrequent(_ match: LoopMatch) {
        for cohort in match.cohorts where !cohort.infrequent.isEmpty {
            match.progress.targeted += cohort.queueInfrequent(below: match.coarse.stamp)
            list(cohort)
        }
    }

    private func unpark(_ cohort: TokenCohort) {
        let most = lines[cohort.environment]?.takeRepetitions(cohort.parked.count) ?? 0
        guard most > 0 else { return }
        cohort.unpark(most)
        list(cohort)
    }
}
