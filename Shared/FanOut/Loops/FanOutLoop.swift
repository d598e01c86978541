import APNsProtocol
import Activities
import HTTP2
package import Messages
package import Reactor
package import SightscreenModels

/// Pushes the newest state of each match to the phones of some shards, over its own connections, on one thread.
///
/// There is no queue of pushes: a connection with room asks for the next one, and its content is decided at that
/// moment, by what is newest, claimed, held and trusted.
///
/// `@unchecked Sendable`: everything in it is touched on its reactor's thread alone; `FanOutActor` is the way in.
package final class FanOutLoop: @unchecked Sendable {
    private enum State {
        case running
        /// Claimed alerts are sent until this time (by `MonotonicTime`), and nothing else begins any more.
        case finishing(until: Int64)
        case closed
    }

    let rules: LoopMatch.Rules
    let matchHolds: MatchHolds
    let refusals: RareReports
    let report: @Sendable (FanOutReport) -> Void
    private let entrance: FanOutActor
    private var state = State.running
    private(set) var pools: [APNsEnvironment: APNsConnectionPool] = [:]
    var shards = LoopShards()
    var matches: [MatchID: LoopMatch] = [:]
    var cohorts = CohortTable()
    private var delayed = DelayedRows(now: MonotonicTime.now)
    var immediates = ImmediateBudget()
    var tally = LoopTally()
    package var clock = DatabaseClock(seconds: 0)
    package var authorization: ProviderAuthorization? {
        didSet { if authorization?.serial != oldValue?.serial { for pool in pools.values { pool.tokenChanged() } } }
    }
    let path = TokenPath()

    init(
        reactor: Reactor, rules: LoopMatch.Rules, matchHolds: MatchHolds, refusals: RareReports,
        report: @escaping @Sendable (FanOutReport) -> Void
    ) {
        entrance = FanOutActor(reactor: reactor)
        self.rules = rules
        self.matchHolds = matchHolds
        self.refusals = refusals
        self.report = report
    }

    deinit { path.deallocate() }

    var reactor: Reactor { entrance.reactor }

    var isFinishing: Bool { if case .finishing = state { true } else { false } }

    /// Runs `body` on the loop's thread. Everything below must be called in such a `body`.
    func onThread<Result: Sendable>(_ body: @Sendable () -> Result) async -> Result { await entrance.run(body) }

    func open(_ pools: [APNsEnvironment: APNsConnectionPool]) {
        self.pools = pools
        scheduleTick()
    }

    /// Ends the loop's work: from now on only claimed alerts that were not sent yet go out. Some of them may be due in
    /// a state sweep: to phones that had a push in flight when the others of their shard were alerted.
    /// - Parameter time: how long the sending may take.
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

    /// Whether pushes are in flight, or alerts are claimed that only this process can send.
    package var isBusy: Bool {
        inFlight > 0
            || matches.values.contains { match in
                // A sweep that is paused by the lease goes on in a moment, so it counts; one paused by a hold does not.
                match.claim != nil
                    || match.cohorts.contains {
                        $0.work == .listed(.alert) || $0.work == .paused(.alert) && !match.hold.stops(.pushes)
                            || isFinishing && !$0.awaitingStamp.isEmpty
                    }
            } || retriesAlerts
    }
    /// Whether an alert that was refused will be retried within the time that is left.
    private var retriesAlerts: Bool {
        guard case .finishing(let end) = state else { return false }
        return delayed.contains(until: end) { owesAlert($0.cohort, $0.slot, now: clock.seconds) }
    }

    func close() {
        state = .closed
        for pool in pools.values { pool.close() }
    }

    // MARK: - Shards and phones

    package func acquire(_ shard: Int, _ trust: ShardTrust, isComplete: Bool) {
        shards.acquire(shard, trust, isComplete: isComplete)
    }

    package func complete(_ some: [Int]) {
        shards.complete(some)
        for match in matches.values { claimNext(match) }
        wake()
    }

    // MARK: - Versions and alerts

    /// Publishes committed versions, or the newest one again with a fresh stamp. Of several versions of a match the
    /// newest goes out, with the alerts of the others.
    /// - Returns: the progress of the versions that these replace.
    package func publish(_ updates: [MatchUpdate], repeatsQuietly: Bool = false) -> [MatchID: VersionProgress] {
        var moved: [MatchID: LoopMatch] = [:]
        for update in updates {
            let match = match(update.matchID)
            match.usedAt = MonotonicTime.now
            let committedAt = update.committedAtMs ?? Int64(update.stamp.rawValue) * 1_000
            let dueAt = match.usedAt - max(0, clock.milliseconds - committedAt) * 1_000_000
            if match.publish(update, dueAt: dueAt, repeatsQuietly: repeatsQuietly) { moved[match.id] = match }
        }
        let before = moved.mapValues(\.progressNow)
        for match in moved.values { advance(match) }
        wake()
        return before
    }

    private func advance(_ match: LoopMatch) {
        forgetOldAlerts(match)
        for channel in match.channels { channel.countListeners() }
        let phones = match.cohorts.reduce(0) { $0 + $1.count * $1.reach }
        if match.hold.stops(.pushes) { tally.held += match.cohorts.reduce(0) { $0 + $1.count } }
        match.progress = VersionProgress()
        match.progress.version = match.update?.version.rawValue ?? 0
        match.progress.publishedAt = MonotonicTime.now
        let few = match.tokens.reduce(0) { $0 + $1.infrequent.count }
        match.progress.targeted = match.coarse.stamp < match.stamp ? phones - few : phones
        match.unclaimed.removeAll()
        for cohort in match.cohorts {
            cohort.resume()
            // A newer state is no repetition and needs no room in the retry budget.
            cohort.unblock(.max)
            if waits(cohort) { waitForClaim(cohort) } else { start(cohort) }
        }
        claimNext(match)
    }

    /// Forgets alerts that are not fresh any more. Those that the pace or the rest of a channel has kept back are lost.
    private func forgetOldAlerts(_ match: LoopMatch) {
        let now = clock.seconds
        for channel in match.channels { tally.lostAlerts += match.stale(channel, now: now) }
        match.forgetOldAlerts(now: now)
    }

    func wake() { for pool in pools.values { pool.wake() } }

    /// Sends a push other than an update.
    /// - Parameter finish: called once with the outcome.
    func send(_ push: OneShot, to environment: APNsEnvironment, finish: @escaping @Sendable (PushResult) -> Void) {
        guard let pool = pools[environment] else { return finish(.refused) }
        pool.send(push, finish: finish)
    }

    /// Returns how far the newest version of a match is.
    package func progress(_ match: MatchID) -> VersionProgress { matches[match]?.progressNow ?? VersionProgress() }
    /// Returns the counts since the last call.
    package func takeCounts() -> FanOutCounts {
        var counts = FanOutCounts()
        (counts.held, counts.failures) = (tally.held, tally.failures)
        (counts.paced, counts.rested) = (tally.paced, tally.rested)
        for (environment, pool) in pools {
            let (pushes, repetitions) = pool.takeCounts()
            counts.pushes.merge(pushes) { $0 + $1 }
            counts.repetitions += repetitions
            counts.stopped[environment] = pool.stopCause == nil ? 0 : 1
        }
        (tally.held, tally.failures, tally.paced, tally.rested) = (0, [:], 0, 0)
        return counts
    }

    /// Takes in the answer to `FanOutReport.stamp`.
    /// - Parameter stamp: nil when there is none now.
    package func takeFresh(_ stamp: FreshStamp?, of id: MatchID) {
        guard let match = matches[id] else { return }
        match.isTakingStamp = false
        if let stamp { match.fresh = stamp }
        for cohort in match.cohorts where !cohort.awaitingStamp.isEmpty {
            cohort.resume()
            list(cohort)
        }
        wake()
    }

    // MARK: - Work

    /// Starts a sweep over all rows of a cohort, from the first one on.
    func start(_ cohort: any Cohort) {
        cohort.cursor = 0
        pools[cohort.environment]?.list(cohort, for: cohort.gained.isEmpty ? .state : .alert)
    }

    func list(_ cohort: any Cohort) {
        switch cohort.work {
        case .listed, .unclaimed: return
        case .none: cohort.cursor = cohort.slots
        case .paused: break
        }
        let sendsAlerts = isFinishing && !cohort.gained.isEmpty
        pools[cohort.environment]?.list(cohort, for: sendsAlerts ? .alert : cohort.work.sweep ?? .state)
    }

    /// Queues a row again after a delay.
    func delay(_ cohort: any Cohort, _ slot: Int, by delay: Duration) {
        guard !cohort.row(slot).pointee.flags.contains(.isQueued) else { return }
        cohort.row(slot).pointee.flags.insert(.isQueued)
        delayed.add(cohort, slot, until: MonotonicTime.now + MonotonicTime.nanoseconds(delay))
    }

    private func scheduleTick() {
        if case .closed = state { return }
        reactor.schedule(after: DelayedRows.interval) { [self] in
            let now = MonotonicTime.now
            for (cohort, slot) in delayed.due(now) where cohort.stage != .lost {
                // The row stays marked as queued, now in `retries`.
                cohort.retries.append(Int32(slot))
                list(cohort)
            }
            for pool in pools.values {
                let believed = pool.badTokens.evaluate(now: now, phones: pool.provenPhones, where: isCurrent)
                for candidate in believed { reject(candidate) }
            }
            // Cohorts that a hold or a lease has paused are tried again.
            for match in matches.values {
                for cohort in match.cohorts {
                    if cohort.work.isPaused { list(cohort) }
                    if !cohort.blocked.isEmpty { unblock(cohort) }
                }
                giveUpLateClaim(match)
                claimUntried(match)
                if match.coarsen(now: clock.seconds) { sendToInfrequent(match) }
                if !match.channels.isEmpty, match.alerts.hasStale(now: clock.seconds) { forgetOldAlerts(match) }
                beat(match, at: now)
                if match.hold.stops(.pushes) { match.heldAt = now }
            }
            for pool in pools.values { (pool.phones, pool.provenPhones) = (0, 0) }
            for cohort in cohorts.all {
                pools[cohort.environment]?.phones += cohort.count
                pools[cohort.environment]?.provenPhones += (cohort as? TokenCohort)?.provenCount ?? 0
            }
            for pool in pools.values {
                pool.tick(now)
            }
            for item in tally.takeReports() { report(item) }
            wake()
            scheduleTick()
        }
    }

    /// Sends phones with few updates the newest version, because no version chosen for them has come for a minute.
    private func sendToInfrequent(_ match: LoopMatch) {
        for cohort in match.tokens where !cohort.infrequent.isEmpty {
            match.progress.targeted += cohort.queueInfrequent(below: match.coarse.stamp)
            list(cohort)
        }
    }

    private func unblock(_ cohort: any Cohort) {
        let most = pools[cohort.environment]?.takeRepetitions(cohort.blocked.count) ?? 0
        guard most > 0 else { return }
        cohort.unblock(most)
        list(cohort)
    }
}
