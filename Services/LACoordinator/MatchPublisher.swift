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

/// Gives the loops the newest version of each match, the alert claims they ask for, and fresh stamps for states that
/// are repeated.
actor MatchPublisher {
    private struct Match {
        /// The newest version.
        var update: MatchUpdate?
        /// All versions up to this one have been seen, so no alert among them was missed.
        var seenThrough = StampedVersion.none
        /// The event times of the last alerts, in seconds since 1970, by the versions that carried them.
        var alertsAt: [StampedVersion: Int] = [:]
        /// The last stamp that was taken for a repetition.
        var fresh: FreshStamp?
        /// When the newest version is repeated without its alert, in seconds since 1970: its pushes with an alert are
        /// about to expire then.
        var repeatDueAt: Int?
        var usedAt = ContinuousClock.now
    }
    /// The number of buckets for alert claims. It is the same in every process, so that a claim means the same phones.
    static let bucketCount = DeviceRoute.shardCount
    /// How long a claim is retried while the table says that the shard's lease has expired; shorter than the time for
    /// which the loops wait for a claim.
    private static let claimPatience = Duration.milliseconds(1_500)
    /// How long a version that came by notification waits until the missed versions before it are read.
    private static let gapPatience = Duration.milliseconds(250)
    private static let gapPause = Duration.seconds(5)
    /// How long a version that is known by `NOTIFY` alone waits for its notification before it is read.
    private static let notificationWait = Duration.milliseconds(20)
    /// The most alerts whose event times are kept: more than can be fresh at once.
    private static let alertsKept = 8
    /// Seconds after an alert in which a process that takes over still repeats the alert's state.
    private static let repetitionMax = 120
    /// Seconds after which a state that is sent again gets a fresh stamp.
    private static let stampAgeMax = 10

    private let store: ActivityStore
    private let fanOut: FanOutLoops
    private let roster: ShardRoster
    private let progress: ProgressWriter
    /// Seconds for which an alert is fresh.
    private let freshness: Int
    /// Identifies this run of the process in alert claims.
    private let holder: String
    private let tracer: Tracer
    private let logger: Logger
    private(set) var clock = DatabaseClock(seconds: 0)
    private var matches: [MatchID: Match] = [:]
    /// When the missed versions before a version last could not be read in time.
    private var missedUnreadAt: ContinuousClock.Instant?
    /// The last publication to the loops, which may still be running.
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

    /// Reads the database's clock, which stamps and freshness are measured by.
    func readClock() async throws {
        let clock = DatabaseClock(seconds: try await store.now())
        self.clock = clock
        await fanOut.onEach { $0.clock = clock }
    }

    // MARK: - Versions

    /// Publishes a committed version at once.
    func publish(_ update: MatchUpdate) async {
        if hasGap(before: update) { await readMissed() }
        if !isKnown(update.matchID, update.committed) { await publish([update], areLogged: false) }
    }

    /// Whether this version, and every one before it, has been seen.
    func isKnown(_ match: MatchID, _ version: StampedVersion) -> Bool {
        matches[match].map { $0.seenThrough >= version } ?? false
    }

    /// Whether versions before this one may not have been seen: of a match that is not known so far, and when the
    /// numbers do not follow on. An alert among them should go with this version, because it cannot go after it.
    private func hasGap(before update: MatchUpdate) -> Bool {
        let seen = matches[update.matchID]?.seenThrough ?? .none
        return seen < update.committed && !update.committed.follows(seen)
    }

    /// Schedules a read of every version that is committed on any host, until the task is cancelled. A version of this
    /// host is given a moment to arrive with its notification.
    func listen(to hints: AsyncStream<VersionHint?>, _ schedule: Schedule) async {
        await withDiscardingTaskGroup { waits in
            for await hint in hints {
                guard let hint else {
                    schedule.readAll()
                    continue
                }
                guard !isKnown(hint.match, hint.version) else { continue }
                // They wait beside each other: the versions of many matches may be committed in a moment.
                waits.addTask { [self] in
                    try? await Task.sleep(for: Self.notificationWait)
                    if await !isKnown(hint.match, hint.version) { schedule.read(hint.match) }
                }
            }
        }
    }

    /// Reads missed versions with a short deadline, and not again soon after a failure: states must not wait for a slow
    /// database.
    private func readMissed() async {
        guard missedUnreadAt.map({ .now - $0 > Self.gapPause }) ?? true else { return }
        do { try await read(deadline: Self.gapPatience) } catch { missedUnreadAt = .now }
    }

    /// Reads the versions that are not known, of one match or of all, and publishes them.
    func read(_ match: MatchID? = nil, deadline: Duration = .seconds(5)) async throws {
        let updates = try await store.updates(
            of: match, beyond: matches.mapValues(\.seenThrough), deadline: deadline)
        await publish(updates, areLogged: true)
    }

    /// - Parameter areLogged: true for versions read from the log, together with all alerts before them; false for one
    ///   that came by notification, before which there may be versions that were not seen.
    private func publish(_ updates: [MatchUpdate], areLogged: Bool) async {
        guard !updates.isEmpty else { return }
        let spans = updates.compactMap { learn($0, isLogged: areLogged) }
        await progress.published(spans, before: await publishInOrder(updates))
    }

    /// Publishes versions to the loops in the order in which they were learnt: the alert of an older version is not
    /// sent to a phone that shows a newer one.
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

    /// - Returns: the span of the version's fan-out; nil when the version is not newer than the known one.
    private func learn(_ update: MatchUpdate, isLogged: Bool) -> FanOutSpan? {
        var match = matches[update.matchID] ?? Match()
        defer { matches[update.matchID] = match }
        match.usedAt = .now
        if isLogged || update.committed.follows(match.seenThrough) {
            match.seenThrough = max(match.seenThrough, update.committed)
        }
        if let alert = update.alert {
            match.alertsAt[update.committed] = alert.eventAt
            if match.alertsAt.count > Self.alertsKept, let oldest = match.alertsAt.keys.min() {
                match.alertsAt[oldest] = nil
            }
        }
        let isNewest = match.update.map { $0.stamp < update.stamp } ?? true
        // A fresh alert goes with the newest version, even if the alert was learnt later. Another process may have sent
        // the alert of the first version that this process sees, and may have died before it repeated the state.
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

    /// Records the time from a version's commit to its arrival here. A match's first version is left out, because it
    /// may have been committed long before.
    private func noteArrival(_ update: MatchUpdate, isLogged: Bool) {
        guard let committedAt = update.committedAtMs else { return }
        Metrics.Timer(
            label: "sightscreen_version_delay_seconds", dimensions: [("source", isLogged ? "log" : "message")]
        ).recordMilliseconds(max(clock.milliseconds - committedAt, 0))
    }

    /// Repeats the state of versions whose pushes with an alert have expired, a minute after the event: a phone that
    /// was off for longer gets the state this way.
    func repeatAlertStates() async {
        for (id, match) in matches {
            guard let due = match.repeatDueAt, clock.seconds >= due, var update = match.update else { continue }
            // After nil or an error the next pass tries again.
            guard let fresh = try? await store.takeStamp(id), fresh.version == update.version,
                matches[id]?.update?.version == update.version
            else { continue }
            update.stamp = fresh.stamp
            matches[id]?.repeatDueAt = nil
            matches[id]?.update = update
            // If the version has not reached all phones yet, its counts begin anew.
            await progress.published([], before: await publishInOrder([update], repeatsQuietly: true))
        }
    }

    /// Forgets matches that have had no version for two hours; one that goes on is read again.
    func forgetFinished() {
        matches = matches.filter { .now - $1.usedAt <= .seconds(7_200) }
    }

    // MARK: - What others send

    /// Returns the newest state of a match, with a stamp that is recent enough for a phone to accept.
    /// - Returns: nil when there is no such state now: a newer version is on its way, or the database does not answer.
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

    /// Keeps the later stamp: two that were taken at once may arrive in any order.
    private func note(_ fresh: FreshStamp, of id: MatchID) {
        if let known = matches[id]?.fresh, known.stamp > fresh.stamp { return }
        matches[id]?.fresh = fresh
    }

    /// Returns the newest version of a match, and the latest stamp that any state of it may have been sent with.
    func newest(of id: MatchID) -> (update: MatchUpdate?, stamp: Stamp?) {
        let match = matches[id]
        return (match?.update, [match?.update?.stamp, match?.fresh?.stamp].compactMap { $0 }.max())
    }

    // MARK: - What the loops ask for

    /// Claims an alert for buckets, and gives the loops the result.
    ///
    /// While the database was away, a lease may have expired in the table that is renewed a moment later. A claim made
    /// meanwhile writes nothing, and is retried for `claimPatience` while this process holds the shard under the same
    /// lease. Under another lease the shard's phones are read anew, and an earlier claim could reach none of them. The
    /// other buckets of the claim do not wait for the retry.
    func claim(
        _ id: MatchID, _ version: StampedVersion, _ buckets: [AlertBucket: Int64],
        until patience: ContinuousClock.Instant? = nil
    ) async {
        let patience = patience ?? .now + Self.claimPatience
        let epochs = Dictionary(buckets.map { ($0.shard, $1) }) { first, _ in first }
        let held = await roster.proofs.values.filter { epochs[$0.shard] == $0.epoch }
        var claims = AlertClaims()
        do {
            claims = try await store.claimAlert(
                id, version: version.number, buckets: Array(buckets.keys), bucketCount: Self.bucketCount,
                holder: holder,
                leases: held)
        } catch {
            TraceContext.$current.withValue(await progress.context(of: id)) {
                logger.warning(
                    "An alert could not be claimed: its state goes without it",
                    metadata: ["match.id": "\(id)", "error": "\(error)"])
            }
        }
        let now = await roster.proofs
        let isOver = ContinuousClock.now >= patience
        let again = buckets.filter { bucket, epoch in
            !isOver && now[bucket.shard]?.epoch == epoch && claims.unheld.contains(bucket)
        }
        // A shard that was lost meanwhile is not alerted by this process any more.
        let gained = claims.gained.filter { now[$0.shard]?.epoch == buckets[$0] }
        let answered = buckets.filter { again[$0.key] == nil }
        await fanOut.onEach(of: Array(answered), in: { $0.key.shard }) { loop, _ in
            loop.claimed(id, version, answered, gained: gained)
        }
        if again.isEmpty { return }
        Task {
            try? await Task.sleep(for: .milliseconds(100))
            await claim(id, version, again, until: patience)
        }
    }

    /// Takes a fresh stamp for the newest state of a match, and gives it to the loops.
    /// - Parameter readNewer: called when the database has a newer version than this process.
    func takeStamp(_ id: MatchID, readNewer: () -> Void) async {
        let fresh = try? await store.takeStamp(id)
        // The loops ask again as soon as they have the answer, so a failure is not answered at once.
        var wait: Duration = fresh == nil ? .milliseconds(200) : .zero
        if let fresh, let match = matches[id] {
            note(fresh, of: id)
            if fresh.version != match.update?.version {
                readNewer()
                wait = .milliseconds(50)
            }
        }
        if wait == .zero { return await give(fresh, to: id) }
        Task { [wait] in
            try? await Task.sleep(for: wait)
            await give(fresh, to: id)
        }
    }

    private func give(_ fresh: FreshStamp?, to match: MatchID) async {
        await fanOut.onEach { $0.takeFresh(fresh, of: match) }
    }
}

extension MatchUpdate {
    /// The version, as it comes from event-bus or from the log. In a repetition of it the stamp is another one.
    var committed: StampedVersion { StampedVersion(version, stamp) }
}
