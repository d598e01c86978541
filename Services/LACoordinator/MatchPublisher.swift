import APNsProtocol
import Activities
import FanOut
import Logging
import Messages
import Metrics
import Reactor
import ServiceKit
import SightscreenModels
import Store

/// Gives the loops the newest version of each match, the alerts that it may tell, and stamps of now for states that are repeated.
actor MatchPublisher {
    /// What is known of a match.
    private struct Match {
        /// The newest version.
        var update: MatchUpdate?
        /// All versions up to this one have been seen, so that no alert between is missed.
        var seenThrough = MatchVersion(0)
        /// When alerts happened, seconds since 1970, of the last few versions that had one.
        var alertsAt: [MatchVersion: Int] = [:]
        /// The last stamp that was taken for a repetition.
        var fresh: FreshStamp?
        /// The newest version goes out once more, without alert: its alert pushes are about to expire. Seconds since 1970.
        var repeatDueAt: Int?
        var usedAt = ContinuousClock.now
    }

    /// Buckets for alert claims: a claim means the same phones whoever makes it.
    static let bucketCount = DeviceRoute.shardCount
    /// How long a claim is tried again while the table calls the shard's lease over. Shorter than the loops wait for it.
    private static let claimPatience = Duration.milliseconds(1_500)
    /// How long a version that came by notification waits for those before it to be read.
    private static let gapPatience = Duration.milliseconds(250)
    private static let gapPause = Duration.seconds(5)
    /// A version that is known by `NOTIFY` alone is read, unless its notification comes within this time.
    private static let notificationWait = Duration.milliseconds(20)
    /// Alerts whose time is remembered; more than can be fresh.
    private static let alertsKept = 8
    /// Seconds after an alert in which a process that takes over repeats its state.
    private static let repetitionMax = 120
    /// A state that goes out again after that many seconds gets a stamp of now.
    private static let stampAgeMax = 10

    private let store: ActivityStore
    private let fanOut: FanOutLoops
    private let roster: ShardRoster
    private let progress: ProgressWriter
    /// Seconds in which an alert is news.
    private let freshness: Int
    /// Names this run in alert claims.
    private let holder: String
    private let tracer: Tracer
    private let logger: Logger
    private(set) var clock = DatabaseClock(seconds: 0)
    private var matches: [MatchID: Match] = [:]
    /// When those before a version could not be read in time.
    private var missedUnreadAt: ContinuousClock.Instant?
    /// The last versions that went to the loops, or are on their way there.
    private var lastPublication: Task<[MatchID: VersionProgress], Never>?

    init(
        store: ActivityStore, fanOut: FanOutLoops, roster: ShardRoster, progress: ProgressWriter,
        configuration: LACoordinatorConfiguration, tracer: Tracer, logger: Logger
    ) {
        self.store = store
        self.fanOut = fanOut
        self.roster = roster
        self.progress = progress
        freshness = Int(configuration.alertFreshness.components.seconds)
        holder = "\(configuration.instance)/\(String(UInt64.random(in: .min ... .max), radix: 36))"
        self.tracer = tracer
        self.logger = logger
    }

    /// Reads the database's clock, by which stamps and freshness go.
    func readClock() async throws {
        let clock = DatabaseClock(seconds: try await store.now())
        self.clock = clock
        await fanOut.onEach { $0.clock = clock }
    }

    // MARK: - Versions

    /// A version was committed; it goes out at once.
    func publish(_ update: MatchUpdate) async {
        if hasGap(before: update) { await readMissed() }
        if !isKnown(update.matchID, update.version) { await publish([update], areLogged: false) }
    }

    /// A version was seen, and all before it.
    func isKnown(_ match: MatchID, _ version: MatchVersion) -> Bool {
        matches[match].map { $0.seenThrough >= version } ?? false
    }

    /// Versions before it were not heard of, as of a match of which nothing was: an alert among them should go with this one,
    /// and cannot go after it.
    private func hasGap(before update: MatchUpdate) -> Bool {
        (matches[update.matchID]?.seenThrough.rawValue ?? 0) + 1 < update.version.rawValue
    }

    /// Asks for the versions that are committed anywhere, until the task is cancelled. One of this host comes with its notification, in a
    /// moment.
    func listen(to hints: AsyncStream<VersionHint?>, _ schedule: Schedule) async {
        for await hint in hints {
            guard let hint else {
                schedule.readAll()
                continue
            }
            guard !isKnown(hint.match, hint.version) else { continue }
            try? await Task.sleep(for: Self.notificationWait)
            if !isKnown(hint.match, hint.version) { schedule.read(hint.match) }
        }
    }

    /// Waits for a moment only, and not again soon: states must not wait for a database that is slow.
    private func readMissed() async {
        guard missedUnreadAt.map({ .now - $0 > Self.gapPause }) ?? true else { return }
        do { try await read(deadline: Self.gapPatience) } catch { missedUnreadAt = .now }
    }

    /// Reads the versions that are not known, of all matches or of one, and brings the activities to them.
    func read(_ match: MatchID? = nil, deadline: Duration = .seconds(5)) async throws {
        let updates = try await store.updates(
            of: match, beyond: matches.mapValues(\.seenThrough), deadline: deadline)
        await publish(updates, areLogged: true)
    }

    /// - Parameter areLogged: they were read from the log, with all alerts before them; else one came by notification, and there may be
    ///   versions between that were not heard of.
    private func publish(_ updates: [MatchUpdate], areLogged: Bool) async {
        guard !updates.isEmpty else { return }
        let spans = updates.compactMap { learn($0, isLogged: areLogged) }
        await progress.published(spans, before: await publishInOrder(updates))
    }

    /// Publishes versions to the loops in the order in which they were learnt: the alert of an older version is not sent to a phone that
    /// has a newer one.
    private func publishInOrder(_ updates: [MatchUpdate], repeatsQuietly: Bool = false) async -> [MatchID:
        VersionProgress]
    {
        let publication = Task { [fanOut, before = lastPublication] in
            _ = await before?.value
            return await fanOut.publish(updates, repeatsQuietly: repeatsQuietly)
        }
        lastPublication = publication
        return await publication.value
    }

    /// - Returns: the span of its fan-out, if it is a newer version than was known.
    private func learn(_ update: MatchUpdate, isLogged: Bool) -> FanOutSpan? {
        var match = matches[update.matchID] ?? Match()
        defer { matches[update.matchID] = match }
        match.usedAt = .now
        if isLogged || update.version.rawValue == match.seenThrough.rawValue + 1 {
            match.seenThrough = max(match.seenThrough, update.version)
        }
        if let alert = update.alert {
            match.alertsAt[update.version] = alert.eventAt
            if match.alertsAt.count > Self.alertsKept, let oldest = match.alertsAt.keys.min() {
                match.alertsAt[oldest] = nil
            }
        }
        let isNewest = match.update.map { $0.version < update.version } ?? true
        // Alerts ride on the newest version as long as they are news, also one that was heard of later. The first version that
        // this process hears of may have been told by another process, which did not live to repeat its state.
        let horizon = match.update == nil ? Self.repetitionMax : freshness
        if isNewest || update.alert != nil {
            match.repeatDueAt = match.alertsAt.values.filter { clock.seconds - $0 <= horizon }.max()
                .map { $0 + APNsHeaders.alertLifetime }
        }
        guard isNewest else { return nil }
        if match.update != nil { noteArrival(update, isLogged: isLogged) }
        match.update = update
        return FanOutSpan(update, of: tracer, clock: clock)
    }

    /// From the commit to here. What was committed before this process knew of the match is no news.
    private func noteArrival(_ update: MatchUpdate, isLogged: Bool) {
        guard let committedAt = update.committedAtMs else { return }
        Metrics.Timer(
            label: "sightscreen_version_delay_seconds", dimensions: [("way", isLogged ? "log" : "doorbell")]
        ).recordMilliseconds(max(clock.milliseconds - committedAt, 0))
    }

    /// Pushes with an alert expire a minute after their event: a phone that was off for longer gets the state again.
    func repeatAlertStates() async {
        for (id, match) in matches {
            guard let due = match.repeatDueAt, clock.seconds >= due, var update = match.update else { continue }
            // Nil or an error: the next pass tries again.
            guard let fresh = try? await store.takeStamp(id), fresh.version == update.version,
                matches[id]?.update?.version == update.version
            else { continue }
            update.stamp = fresh.stamp
            matches[id]?.repeatDueAt = nil
            matches[id]?.update = update
            // Should it not be everywhere yet: its counts begin anew.
            await progress.published([], before: await publishInOrder([update], repeatsQuietly: true))
        }
    }

    /// A match that has had no versions for a while needs no memory; if it goes on, it is read again.
    func forgetFinished() {
        matches = matches.filter { .now - $1.usedAt <= .seconds(7_200) }
    }

    // MARK: - What others send

    /// The newest state of a match, with a stamp that a phone does not take for outdated.
    /// - Returns: nil when there is none now: a newer version is on its way, or the database is away.
    func freshUpdate(of id: MatchID) async -> MatchUpdate? {
        guard let match = matches[id], var update = match.update else { return nil }
        if clock.seconds - update.stamp.rawValue <= Self.stampAgeMax { return update }
        if let fresh = match.fresh, fresh.version == update.version,
            clock.seconds - fresh.stamp.rawValue <= Self.stampAgeMax
        {
            update.stamp = fresh.stamp
            return update
        }
        guard let fresh = try? await store.takeStamp(id), fresh.version == update.version else { return nil }
        note(fresh, of: id)
        update.stamp = fresh.stamp
        return update
    }

    /// Two that were taken at once may come in any order.
    private func note(_ fresh: FreshStamp, of id: MatchID) {
        if let known = matches[id]?.fresh, known.stamp > fresh.stamp { return }
        matches[id]?.fresh = fresh
    }

    /// The newest version of a match, and the last stamp that any state of it may have gone out with.
    func newest(of id: MatchID) -> (update: MatchUpdate?, stamp: Stamp?) {
        let match = matches[id]
        return (match?.update, [match?.update?.stamp, match?.fresh?.stamp].compactMap { $0 }.max())
    }

    // MARK: - What the loops ask for

    /// A lease may have run out in the table while the database was away, and be renewed in a moment: a claim made meanwhile
    /// has written nothing, and is made again for as long as the shard is ours under that lease: with another one its phones are
    /// read anew, and what was claimed before could be told to none of them. The other shards of the claim do not wait for that.
    func claim(
        _ id: MatchID, _ version: MatchVersion, _ shards: [Int: Int64], until patience: ContinuousClock.Instant? = nil
    ) async {
        let patience = patience ?? .now + Self.claimPatience
        let held = await roster.proofs.values.filter { shards[$0.shard] == $0.epoch }
        var claims = AlertClaims()
        do {
            claims = try await store.claimAlert(
                id, version: version, buckets: Array(shards.keys), bucketCount: Self.bucketCount, holder: holder,
                holds: held)
        } catch {
            TraceContext.$current.withValue(await progress.context(of: id)) {
                logger.warning(
                    "An alert could not be claimed: its state goes without it",
                    metadata: ["match.id": "\(id)", "error": "\(error)"])
            }
        }
        let now = await roster.proofs
        let isOver = ContinuousClock.now >= patience
        let again = shards.filter { shard, epoch in
            !isOver && now[shard]?.epoch == epoch && claims.unheld.contains(shard)
        }
        // A shard that was lost meanwhile is no longer ours to tell.
        let gained = claims.gained.filter { now[$0]?.epoch == shards[$0] }
        let answered = shards.filter { again[$0.key] == nil }
        await fanOut.onEach(of: Array(answered), in: { $0.key }) { loop, _ in
            loop.claimed(id, version, answered, gained: gained)
        }
        if again.isEmpty { return }
        Task {
            try? await Task.sleep(for: .milliseconds(100))
            await claim(id, version, again, until: patience)
        }
    }

    /// The newest state of a match is to go out with a stamp of now.
    /// - Parameter readNewer: there is a newer version than ours.
    func takeStamp(_ id: MatchID, readNewer: () -> Void) async {
        var fresh: FreshStamp?
        var wait = Duration.zero
        do {
            fresh = try await store.takeStamp(id)
            // The stamps are ahead of the clock: one is free with its next second.
            if fresh == nil { wait = .milliseconds(1_010 - Int(clock.milliseconds % 1_000)) }
        } catch {
            // Not at once again.
            wait = .milliseconds(200)
        }
        if let fresh, let match = matches[id] {
            note(fresh, of: id)
            if fresh.version != match.update?.version {
                readNewer()
                wait = .milliseconds(50)
            }
        }
        if wait == .zero { return await give(fresh, to: id) }
        Task { [fresh, wait] in
            try? await Task.sleep(for: wait)
            await give(fresh, to: id)
        }
    }

    private func give(_ fresh: FreshStamp?, to match: MatchID) async {
        await fanOut.onEach { $0.takeFresh(fresh, of: match) }
    }
}
