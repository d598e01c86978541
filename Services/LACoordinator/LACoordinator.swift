import APNsProtocol
import Activities
package import Logging
public import Messages
import Metrics
package import Postgres
package import ServiceKit
import SightscreenModels
import Store
import Synchronization

/// Brings every activity of its shards to the newest state of its match, starts what is pending, and ends what is due.
///
/// The database is read on every doorbell and twice a second; a doorbell that also carries a version is fanned out at
/// once, unless this process did not run for a while and has not read since. Nothing here must survive: another coordinator
/// goes on from the tables.
public actor LACoordinator {
    /// Buckets for alert claims: a claim means the same phones whoever makes it.
    public static let bucketCount = DeviceRoute.shardCount
    /// Starts, ends and pushes to apps under way at once: a few thousand fill the connections, more would only wait in
    /// memory.
    static let pushesMax = 4_096
    /// How often the tables are read when no doorbell rings. Half of the age at which what is known is too old.
    public static let interval = Duration.milliseconds(500)
    /// How long a claim is tried again while the table calls the shard's lease over. Shorter than the loops wait for it.
    static let claimPatience = Duration.milliseconds(1_500)
    /// Between looks at all pending activities, while none of those in front may be started.
    static let thoroughInterval = Duration.seconds(10)
    /// Who hears by `NOTIFY` of a version reads it, unless its doorbell rings within this time.
    private static let doorbellWait = Duration.milliseconds(20)
    /// How long a version that came by doorbell waits for those before it to be read.
    private static let gapPatience = Duration.milliseconds(250)
    private static let gapPause = Duration.seconds(5)
    /// When those before a version could not be read in time.
    private var missedUnreadAt: ContinuousClock.Instant?

    let configuration: LACoordinatorConfiguration
    let store: ActivityStore
    let tokens: ProviderTokenSource
    let fanOut: FanOut
    private let reports: AsyncStream<FanOutReport>
    private let reported: AsyncStream<FanOutReport>.Continuation
    nonisolated let brakes = Brakes()
    nonisolated let freezes: FreezeWatch
    private let holdWatch: HoldWatch
    let logger: Logger
    let tracer: Tracer
    /// That were counted.
    var countedStandstills = 0
    /// What the loops have said and nobody has taken up yet.
    private let reportsWaiting = Meter(label: "sightscreen_fanout_reports_waiting")
    /// Names this run in alert claims.
    let holder: String
    private let shards: @Sendable () async -> [ShardHold]
    private let wakeups: AsyncStream<Void>
    private let wake: AsyncStream<Void>.Continuation
    private let interval: Duration

    var matches: [MatchID: MatchFanOut] = [:]
    var clock = DatabaseClock(seconds: 0)
    private(set) var holds: [Int: ShardHold] = [:]
    /// The same, and those whose activities are still being read: these have alerts to claim, too.
    private(set) var proofs: [Int: ShardHold] = [:]
    private var trusts: [Int: ShardTrust] = [:]
    /// Shards that were handed over, until their leases are gone, and the epochs of those.
    var leaving: [Int: Int64] = [:]
    private(set) var cursor: String?
    /// What changes said of while shards were taken over: it is newer than what the pages of these shards say.
    private var changedMeanwhile: Set<RosterKey> = []
    /// When versions and ends were last asked for while shards were taken over.
    private var wentOnAt = ContinuousClock.now
    /// When changes were last read.
    private var readAt = ContinuousClock.now
    let auditEvery: Duration
    /// How long what is claimed may take when it is to stop.
    private let drainMax: Duration
    var isAuditing = false
    var auditedAt = ContinuousClock.now
    /// Starts, ends and pushes to apps under way.
    var pushes = 0
    /// More are due than could be claimed.
    var endsAreLeft = false
    /// What became of ends, until it is noted.
    var endResults: [(claim: EndClaim, result: ActivityStore.EndResult)] = []
    var isNotingEnds = false
    /// Ends that wait until no update to their activity is under way.
    var endsWaiting: [MatchID: [RosterKey: EndClaim]] = [:]
    /// The provider token that the loops show, and how many they have shown.
    var shownToken: String?
    var tokenSerial = 0
    /// When APNs last asked for another one and got it.
    var tokenReplacedAt = ContinuousClock.now - .seconds(3_600)
    /// Progress that is not written yet.
    var unsettled: [MatchID: [Int: BucketProgress]] = [:]
    /// When the operator was last told of the progress.
    var progressNotedAt = ContinuousClock.now - .seconds(3_600)
    /// Of starts that have been claimed and not been answered.
    var startGates: [ActivityKey: StartGate] = [:]
    var startBudget: Double = 0
    var startBudgetAt = ContinuousClock.now
    /// When all pending activities were looked at, behind those that come first but may not be started.
    var thoroughlyLookedAt = ContinuousClock.now
    /// Of starts and pushes to apps.
    var badTokens: [APNsEnvironment: BadTokenJury<SuspectClaim>] = [:]
    /// Start and device tokens that had their first 200, until that is noted.
    var provenTokens: [ActivityStore.ProvenToken] = []
    private(set) var isStopping = false
    private var databaseWorks = true

    /// - Parameters:
    ///   - interval: longer in tests of doorbells.
    ///   - auditEvery: shorter in tests of audits than the configuration may have it.
    ///   - drainMax: shorter than a service has for its end; longer in a test of it.
    ///   - shards: the shards this process holds now, with the proof.
    package init(
        configuration: LACoordinatorConfiguration, pool: PostgresPool, logger: Logger, tracer: Tracer = .off,
        interval: Duration = LACoordinator.interval, auditEvery: Duration? = nil,
        drainMax: Duration = .seconds(3),
        shards: @escaping @Sendable () async -> [ShardHold]
    ) throws {
        self.interval = interval
        self.auditEvery = auditEvery ?? configuration.auditInterval
        self.drainMax = drainMax
        freezes = FreezeWatch(ageMax: max(FreezeWatch.ageMax, interval * 2))
        self.configuration = configuration
        self.logger = logger
        self.tracer = tracer
        self.shards = shards
        store = ActivityStore(pool: pool)
        holdWatch = try HoldWatch(
            database: configuration.database, instance: configuration.instance, brakes: brakes, freezes: freezes,
            logger: logger)
        holder = "\(configuration.instance)/\(String(UInt64.random(in: .min ... .max), radix: 36))"
        let apns = configuration.apns
        tokens = try ProviderTokenSource(
            store: ProviderTokenStore(pool: pool), keyID: apns.keyID, teamID: apns.teamID, signer: apns.signer,
            minAge: apns.tokenMinAge)
        (reports, reported) = AsyncStream.makeStream()
        fanOut = FanOut(
            FanOut.Settings(
                origins: [.production: apns.production, .sandbox: apns.sandbox], tls: apns.tls, bundleID: apns.bundleID,
                threads: configuration.threads,
                freshness: Int(configuration.alertFreshness.components.seconds),
                keepAlive: Int(configuration.keepAliveInterval.components.seconds)),
            brakes: brakes,
            report: { [reported, reportsWaiting] report in
                reportsWaiting.increment(by: 1)
                reported.yield(report)
            })
        reportsWaiting.increment(by: 0)
        (wakeups, wake) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    // MARK: - Doorbells

    /// A version was committed; it goes out at once.
    public func matchUpdated(_ message: MatchUpdated) async {
        let update = message.update
        if hasGap(before: update) { await readMissed() }
        let isOut = matches[update.matchID].map { $0.seenThrough >= update.version } ?? false
        if !isOut { await publish([update], areLogged: false) }
        wake.yield()
    }

    /// Versions before it were not heard of, as of a match of which nothing was: an alert among them should go with this one,
    /// and cannot go after it.
    private func hasGap(before update: MatchUpdate) -> Bool {
        (matches[update.matchID]?.seenThrough.rawValue ?? 0) + 1 < update.version.rawValue
    }

    /// Waits for a moment only, and not again soon: states must not wait for a database that is slow.
    private func readMissed() async {
        guard missedUnreadAt.map({ .now - $0 > Self.gapPause }) ?? true else { return }
        do {
            let missed = try await store.updates(beyond: matches.mapValues(\.seenThrough), deadline: Self.gapPatience)
            await publish(missed, areLogged: true)
        } catch { missedUnreadAt = .now }
    }

    /// A version was committed somewhere. One of this host comes with its doorbell.
    private func heard(_ hint: VersionHint?) async {
        if let hint {
            guard isUnknown(hint) else { return }
            try? await Task.sleep(for: Self.doorbellWait)
            guard isUnknown(hint) else { return }
        }
        wake.yield()
    }

    private func isUnknown(_ hint: VersionHint) -> Bool {
        matches[hint.match].map { $0.seenThrough < hint.version } ?? true
    }

    /// Rows of `live_activities` changed.
    public func activitiesChanged() { wake.yield() }

    /// The operator set or lifted a hold. Nothing waits for this actor, which may be busy.
    public nonisolated func holdsChanged() { holdWatch.ring() }

    /// Phones that are taken in.
    package nonisolated func phones() async -> Int { await fanOut.phones() }

    // MARK: - Running

    /// Works until cancelled; then waits a moment for the answers of what is under way.
    public func run() async {
        await fanOut.start()
        let listening = Task {
            for await report in reports {
                reportsWaiting.decrement(by: 1)
                handle(report)
            }
        }
        let heart = Heart(freezes) { [holdWatch, wake] in
            holdWatch.ring()
            wake.yield()
        }
        await heart.start()
        let watching = Task { [holdWatch, wake] in await holdWatch.run { wake.yield() } }
        let hearing = Task { for await hint in store.hints() { await heard(hint) } }
        let ticker = Task { [wake, interval] in
            while !Task.isCancelled {
                wake.yield()
                await self.extendTrusts()
                try? await Task.sleep(for: interval)
            }
        }
        let measuring = Task {
            while !Task.isCancelled {
                await measure()
                try? await Task.sleep(for: Self.measureInterval)
            }
        }
        // A pass may still take its time, or the process stand still.
        let askedToStop = Mutex<ContinuousClock.Instant?>(nil)
        await withTaskCancellationHandler {
            for await _ in wakeups {
                if Task.isCancelled { break }
                await pass()
            }
        } onCancel: {
            askedToStop.withLock { $0 = $0 ?? .now }
            wake.finish()
        }
        ticker.cancel()
        measuring.cancel()
        hearing.cancel()
        isStopping = true
        let asked = askedToStop.withLock { $0 } ?? .now
        await Task { await self.drain(until: asked + drainMax) }.value
        await heart.stop()
        await holdWatch.close(ending: watching)
        listening.cancel()
    }

    private func drain(until deadline: ContinuousClock.Instant) async {
        // What is claimed nobody else can tell; all the rest whoever takes over does.
        await fanOut.finish(within: ContinuousClock.now.duration(to: deadline))
        while .now < deadline {
            let isBusy = await fanOut.isBusy()
            guard pushes > 0 || isBusy else { break }
            await extendTrusts()
            // Who unfollows meanwhile gets nothing more; and what knows nothing newer than a standstill sends nothing.
            let mark = freezes.mark()
            if (try? await readChanges()) != nil { freezes.noteRead(.activities, since: mark) }
            try? await Task.sleep(for: .milliseconds(20))
        }
        for trust in trusts.values { trust.end() }
        try? await settleProgress()
        await count()
        await endFanOuts()
        try? await noteProgress(isLast: true)
        await fanOut.close()
    }

    /// Reads what changed and does what is due. A failing database is reported once and asked again.
    private func pass() async {
        // A brake that was set before we began holds from our first push on.
        guard brakes.areKnown else { return }
        do {
            let now = try await store.now()
            clock = DatabaseClock(seconds: now)
            await fanOut.setClock(now)
            try await showToken()
            try await updateShards()
            try await readChanges()
            await publish(try await store.updates(beyond: matches.mapValues(\.seenThrough)), areLogged: true)
            var failure: (any Error)?
            await attempt(sendEnds, &failure)
            await attempt(sendStarts, &failure)
            await attempt(sendFallbacks, &failure)
            await attempt(repeatAlertStates, &failure)
            await attempt(settleProgress, &failure)
            auditWhenDue()
            await count()
            do { try await noteProgress() } catch { failure = error }
            await forgetFinished()
            if let failure { throw failure }
            if !databaseWorks { logger.notice("The database answers again") }
            databaseWorks = true
        } catch {
            if databaseWorks, !Task.isCancelled {
                logger.warning("The database cannot be read", metadata: ["error": "\(error)"])
            }
            databaseWorks = false
        }
    }

    /// Each by itself: a statement that takes too long must not keep the others from their turn, nor make what is known too
    /// old.
    private func attempt(_ step: () async throws -> Void, _ failure: inout (any Error)?) async {
        do {
            try await step()
            if .now - readAt > Self.interval { try await readChanges() }
        } catch { failure = error }
    }

    /// A pass may take longer than a lease is trusted.
    private func extendTrusts() async {
        for hold in await shards() where proofs[hold.shard]?.epoch == hold.epoch {
            trusts[hold.shard]?.extend(to: hold.trustUntil)
        }
    }

    // MARK: - Shards and roster

    private func updateShards() async throws {
        let now = Dictionary(await shards().map { ($0.shard, $0) }) { first, _ in first }
        proofs = now
        leaving = leaving.filter { now[$0]?.epoch == $1 }
        for (shard, hold) in holds where now[shard]?.epoch != hold.epoch { await lose(shard) }
        let news = now.values.filter { holds[$0.shard] == nil && leaving[$0.shard] != $0.epoch }
        let gained = news.map(\.shard)
        for (shard, hold) in now where holds[shard] != nil {
            holds[shard] = hold
            trusts[shard]?.extend(to: hold.trustUntil)
        }
        guard !gained.isEmpty else { return }
        let progress = try await store.progress(shards: gained)
        for hold in news {
            let trust = ShardTrust(freezes, epoch: hold.epoch)
            trust.extend(to: hold.trustUntil)
            trusts[hold.shard] = trust
            await fanOut.hold(hold.shard, trust, isComplete: false)
        }
        var count = 0
        changedMeanwhile = []
        defer { changedMeanwhile = [] }
        do {
            // From here on their changes are read with those of the others.
            if holds.isEmpty { cursor = try await store.cursor() }
            // What goes out meanwhile must not be too old, of what was held before or of what has just been read.
            try await store.roster(shards: gained, meanwhile: { try await goOn(beside: gained, progress) }) { records in
                count += records.count
                await take(records, progress: progress, except: changedMeanwhile)
                try await goOn(beside: gained, progress)
            }
        } catch {
            // What was read in part would be as old as that at the next try.
            for shard in gained { await lose(shard) }
            throw error
        }
        for shard in gained { holds[shard] = now[shard] }
        await fanOut.complete(gained)
        if count > 0 {
            logger.info(
                "Took over activities", metadata: ["shards": "\(gained.count)", "activities": "\(count)"])
        }
    }

    /// Shards that were held before do not wait until others have been read: who unfollows has his end within two seconds.
    private func goOn(beside gained: [Int], _ progress: [MatchID: [Int: BucketProgress]]) async throws {
        try await readChanges(and: gained, progress)
        guard !holds.isEmpty, .now - wentOnAt > interval / 2 else { return }
        wentOnAt = .now
        // What fails now is tried again, and said, in the pass.
        if let updates = try? await store.updates(beyond: matches.mapValues(\.seenThrough)) {
            await publish(updates, areLogged: true)
        }
        try? await sendEnds()
    }

    func lose(_ shard: Int) async {
        holds[shard] = nil
        trusts.removeValue(forKey: shard)?.end()
        await fanOut.lose(shard)
        for match in matches.values { match.settled[shard] = nil }
    }

    /// - Parameters:
    ///   - gained: shards that are being taken over.
    ///   - progress: how far their buckets are settled.
    private func readChanges(
        and gained: [Int] = [], _ progress: [MatchID: [Int: BucketProgress]] = [:]
    ) async throws {
        let mark = freezes.mark()
        let shards = holds.keys + gained
        if let cursor, !shards.isEmpty {
            self.cursor = try await store.changes(since: cursor, shards: shards) { records in
                if !gained.isEmpty { for record in records { changedMeanwhile.insert(RosterKey(record.key)) } }
                await take(records, progress: progress)
            }
        }
        freezes.noteRead(.activities, since: mark)
        readAt = .now
    }

    /// Takes in rows as they are now; most have not changed since they were last read.
    /// - Parameters:
    ///   - progress: how far their buckets are settled, when the shards were just taken over.
    ///   - known: those of which something newer is known.
    private func take(
        _ records: [ActivityRecord], progress: [MatchID: [Int: BucketProgress]], except known: Set<RosterKey> = []
    ) async {
        if !startGates.isEmpty {
            for record in records {
                guard let start = startGates[record.key], !start.isWanted(record.status) else { continue }
                start.gate.close()
                startGates[record.key] = nil
            }
        }
        let news = await RosterNews(records, progress: progress, now: clock.now, except: known)
        if !news.gone.isEmpty { await fanOut.remove(news.gone) }
        if !news.entries.isEmpty { await fanOut.take(news.entries) }
    }

    func trust(of shard: Int) -> ShardTrust? { trusts[shard] }

    func match(_ id: MatchID) -> MatchFanOut {
        if let match = matches[id] { return match }
        let match = MatchFanOut(id: id, brake: brakes.brake(of: id))
        matches[id] = match
        return match
    }

    /// A match that has had no versions for a while needs no memory; if it goes on, it is read again.
    private func forgetFinished() async {
        for (id, match) in matches where .now - match.usedAt > .seconds(7_200) { matches[id] = nil }
        await fanOut.forgetFinished()
    }
}
