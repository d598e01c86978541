import APNsProtocol
import Activities
import HTTP2
import Messages
import SightscreenModels

/// The state of one match in a loop. Only its loop touches it.
final class LoopMatch {
    /// The settings by which versions become pushes.
    struct Rules: Sendable {
        var bundleID: String
        /// Seconds for which an alert is fresh.
        var freshness: Int
        /// Seconds after which `event-bus` commits another version in a break.
        var keepAlive: Int
        /// Seconds after which a phone that was registered, or became known here, counts among those that are behind.
        var newFor = 30
    }

    /// A claim of an alert for some buckets.
    struct Claim {
        let version: StampedVersion
        /// The buckets without an answer yet, with the epochs of their shards' leases.
        var buckets: [AlertBucket: Int64]
        /// Ticks since the claim was sent.
        var ticks = 0
    }

    /// The most payload variants kept. With one or two fresh alerts a version has at most four: its state alone, and
    /// one with each set of alerts that a phone still lacks. There is room for as many again with another stamp, and
    /// for what a third alert adds.
    private static let variantsMax = 16

    /// The most pushes to a phone in an hour that go at priority 10 without an alert: three matches at once, with their
    /// alerts, stay under what a phone was seen to take.
    static let silentImmediatesPerHour = 40
    /// How many of them are versions. The others are first states: of a card and of the few that may replace it.
    static let silentVersionsPerHour = silentImmediatesPerHour - 4

    let id: MatchID
    let hold: MatchHold
    private let rules: Rules
    private(set) var update: MatchUpdate?
    /// The stamp of `update`; 0 without one. It is looked at for each push.
    private(set) var stamp: UInt32 = 0
    private(set) var coarse = CoarseVersions()
    private(set) var alerts: FreshAlerts
    /// The commit times of versions with an alert, in milliseconds since 1970, by their stamps.
    private var alertTimes: [UInt32: Int64] = [:]
    /// The last fresh stamp, taken for a repetition.
    var fresh: FreshStamp?
    var isTakingStamp = false
    /// The newest version is sent once more, without its alert, to the phones that got it with one: such pushes are
    /// about to expire.
    private(set) var repeatsQuietly = false
    /// The newest version as it was committed.
    private(set) var newest: CohortBacklog.Version?
    /// When the match became known, by `MonotonicTime`.
    let knownAt = MonotonicTime.now
    /// When the pushes of the match were last held, by `MonotonicTime`; 0 for never.
    var heldAt: Int64 = 0
    var tokens: [TokenCohort] = []
    var channels: [ChannelCohort] = []
    /// All cohorts. Alerts are claimed for the last ones first: one claim lets all who listen to a channel know.
    var cohorts: [any Cohort] { tokens as [any Cohort] + channels }
    /// The last alert of phones whose activities are gone, kept while alerts are fresh, so that the next activity on
    /// such a phone does not repeat it.
    private(set) var lastAlerts: [RosterKey: UInt32] = [:]
    /// When a version of the match was last published, by `MonotonicTime`.
    var usedAt = MonotonicTime.now
    /// Cohorts that wait for a claim of the newest alert; claims are made one after the other.
    var unclaimed: [any Cohort] = []
    /// The claim that awaits its answer.
    var claim: Claim?
    /// Alerts that were gained for a bucket without cohorts: its shard was lost and is being taken over again, under the
    /// same lease.
    private var gainedMeanwhile: [AlertBucket: (epoch: Int64, alerts: Set<UInt32>)] = [:]
    /// Whether the last claim was answered slowly or not at all.
    var claimsAreSlow = false
    var progress = VersionProgress()
    private var silentVersions = HourlyWindow()
    /// The newest version is sent at priority 10 without an alert.
    private var isSilentImmediate = false
    private var variants: [PushVariant] = []

    init(id: MatchID, hold: MatchHold, rules: Rules) {
        self.id = id
        self.hold = hold
        self.rules = rules
        alerts = FreshAlerts(freshness: rules.freshness)
    }

    /// Takes in a version.
    /// - Parameters:
    ///   - dueAt: when the version was due, by `MonotonicTime`.
    ///   - repeatsQuietly: it is the newest version again, with a later stamp.
    /// - Returns: whether its stamp is later than that of what is known.
    func publish(_ new: MatchUpdate, dueAt: Int64 = MonotonicTime.now, repeatsQuietly: Bool) -> Bool {
        if !repeatsQuietly { takeAlert(of: new) }
        if let update, update.stamp >= new.stamp { return false }
        if update == nil || !repeatsQuietly {
            fresh = nil
            let version = CohortBacklog.Version(
                number: new.version.rawValue, stamp: UInt32(clamping: new.stamp.rawValue), dueAt: dueAt)
            newest = version
            for cohort in cohorts { cohort.published(version) }
            // All phones of the match share one budget, because each gets the same versions.
            // A wicket among such versions counts as one of them, for followers who want no alert.
            isSilentImmediate =
                new.priority == 10 && (new.alert == nil || isSilentImmediate)
                && silentVersions.take(of: Self.silentVersionsPerHour, now: new.stamp.rawValue)
        }
        coarse.published(new, isForAll: repeatsQuietly)
        update = new
        stamp = UInt32(clamping: new.stamp.rawValue)
        self.repeatsQuietly = repeatsQuietly
        variants.removeAll(keepingCapacity: true)
        bytesMax = PushPayload.routineBytesAim
        return true
    }

    private func takeAlert(of new: MatchUpdate) {
        let version = StampedVersion(new.version, new.stamp)
        if alerts.published(version, new.alert, retracted: new.retracted ?? [], overtaken: new.overtaken ?? []) {
            variants.removeAll(keepingCapacity: true)
        }
        if new.alert != nil, alertTimes[Self.number(version)] == nil {
            alertTimes[Self.number(version)] = new.committedAtMs ?? Int64(new.stamp.rawValue) * 1_000
        }
    }

    func forgetOldAlerts(now: Int) {
        if alerts.expire(now: now) { variants.removeAll(keepingCapacity: true) }
        // The alert that a correction corrects is kept as long as the correction is fresh.
        let kept = Set(alerts.entries.flatMap { [$0.version, $0.corrects].compactMap { $0 } }.map(Self.number))
        alertTimes = alertTimes.filter { kept.contains($0.key) }
        for cohort in cohorts {
            cohort.tried.formIntersection(kept)
            cohort.gained.formIntersection(kept)
            if !cohort.levelTimes.isEmpty {
                cohort.levelTimes = cohort.levelTimes.filter { now - Int($1) <= rules.freshness }
            }
        }
        gainedMeanwhile = gainedMeanwhile.compactMapValues { epoch, alerts in
            let fresh = alerts.intersection(kept)
            return fresh.isEmpty ? nil : (epoch, fresh)
        }
    }

    /// Keeps an alert that was gained for a bucket, for the cohorts that will come under the same epoch.
    func keepGained(_ alert: UInt32, _ bucket: AlertBucket, epoch: Int64) {
        guard !cohorts.contains(where: { $0.bucket == bucket && $0.trust.epoch == epoch }) else { return }
        let known = gainedMeanwhile[bucket].flatMap { $0.epoch == epoch ? $0.alerts : nil } ?? []
        gainedMeanwhile[bucket] = (epoch, known.union([alert]))
    }

    /// Adds the alerts that were gained for a cohort's bucket before the cohort was there.
    func addGained(to cohort: any Cohort) {
        guard let gained = gainedMeanwhile[cohort.bucket], gained.epoch == cohort.trust.epoch else { return }
        cohort.gained.formUnion(gained.alerts)
        cohort.tried.formUnion(gained.alerts)
    }

    /// Remembers the last alert of a phone whose activity is gone.
    /// - Parameter alert: the stamp that the alert was committed with; 0 for none.
    func noteDelivered(_ alert: UInt32, on phone: RosterKey, now: Int) {
        guard alert > 0, alerts.hasFresh(now: now) else { return }
        lastAlerts[phone] = max(alert, lastAlerts[phone] ?? 0)
    }

    func forgetDelivered(now: Int) {
        guard !lastAlerts.isEmpty, !alerts.hasFresh(now: now) else { return }
        lastAlerts = [:]
    }

    /// The number by which a version's alert is known here.
    static func number(_ version: StampedVersion) -> UInt32 { UInt32(clamping: version.stamp.rawValue) }

    // MARK: - What a phone gets

    enum Need {
        case nothing
        case push(PushVariant)
        /// The push needs a fresh stamp, which has to be taken first.
        case stamp
    }
    /// Returns the fresh alerts that go to a phone with the newest state.
    func selection(for row: UnsafeMutablePointer<CohortRow>, _ cohort: any Cohort, now: Int) -> FreshAlerts.Selection {
        guard !alerts.entries.isEmpty, row.pointee.alertLevel != .none, !hold.stops(.alerts) else { return .init() }
        return alerts.selection(after: Stamp(Int(row.pointee.alertedThrough)), now: now) { entry in
            cohort.gained.contains(Self.number(entry.version)) && isDue(entry, to: row, cohort)
                && !(entry.corrects.map { isUndelivered($0, to: row, cohort) } ?? false)
        }
    }

    /// Whether this process has claimed an alert for a phone and has not sent it.
    private func isUndelivered(
        _ version: StampedVersion, to row: UnsafeMutablePointer<CohortRow>, _ cohort: any Cohort
    ) -> Bool {
        let number = Self.number(version)
        return cohort.gained.contains(number) && row.pointee.alertedThrough < number
    }

    /// Whether a phone wants an alert, and its activity existed in time, with this alert level. An earlier event is no
    /// news on this activity, and the phone may have got its alert over the activity before. The commit time is
    /// compared, because stamps are whole seconds and run ahead of the clock.
    private func isDue(
        _ entry: FreshAlerts.Entry, to row: UnsafeMutablePointer<CohortRow>, _ cohort: any Cohort
    ) -> Bool {
        guard entry.alert.isWanted(at: row.pointee.alertLevel), let time = alertTimes[Self.number(entry.version)] else {
            return false
        }
        let levelAt = cohort.levelTimes.isEmpty ? nil : cohort.levelTimes[row.pointee.key]
        return time >= Int64((max(row.pointee.tokenAt, levelAt ?? 0) * 1_000).rounded(.down))
    }

    /// Returns the number of phones that will not get an alert, because another process has claimed it for them.
    func lost(_ version: StampedVersion, _ cohort: any Cohort) -> Int {
        guard let entry = alerts.entries.first(where: { $0.version == version }) else { return 0 }
        let rows = (0..<cohort.slots).count { slot in
            let row = cohort.row(slot)
            return row.pointee.flags.contains(.isUsed) && !row.pointee.flags.contains(.isDraining)
                && row.pointee.delivered < stamp && isDue(entry, to: row, cohort)
        }
        return rows * cohort.reach
    }

    /// Returns the number of alerts that the listeners of a channel will not get, because they have ceased to be fresh:
    /// the channel's pace or its rest has kept them back.
    func stale(_ channel: ChannelCohort, now: Int) -> Int {
        guard !hold.stops(.alerts) else { return 0 }
        let row = channel.row(0)
        let stale = alerts.entries.count { entry in
            !alerts.isFresh(entry, now: now) && !entry.isRetracted && !entry.isOvertaken
                && isUndelivered(entry.version, to: row, channel) && isDue(entry, to: row, channel)
        }
        return stale * channel.reach
    }

    /// Gives phones with few updates the newest version if it is time.
    /// - Returns: whether they now get it.
    func coarsen(now: Int) -> Bool {
        guard let update else { return false }
        return coarse.pass(update, now: now)
    }

    /// Returns what a phone needs now.
    /// - Parameters:
    ///   - mayBeImmediate: whether the phone has a push at priority 10 left.
    ///   - now: seconds since 1970 by the database's clock.
    func need(
        _ row: UnsafeMutablePointer<CohortRow>, _ selection: FreshAlerts.Selection, of cohort: any Cohort,
        mayBeImmediate: Bool = true, now: Int
    ) -> Need {
        guard stamp > 0 else { return .nothing }
        if row.pointee.flags.contains(.isInfrequent), selection.isEmpty, row.pointee.delivered >= max(coarse.stamp, 1) {
            return .nothing
        }
        guard let stamp = stamp(for: row, of: cohort, now: now) else { return .stamp }
        guard row.pointee.delivered < stamp else { return .nothing }
        if repeatsQuietly, selection.isEmpty, row.pointee.delivered >= newest?.stamp ?? 0, !row.pointee.isShortLived {
            // The phone got this state by a push that does not expire soon.
            row.pointee.delivered = stamp
            progress.targeted -= cohort.reach
            return .nothing
        }
        let priority = mayBeImmediate ? priority(row, hasAlert: !selection.isEmpty) : .routine
        if let known = variants.first(where: {
            $0.stamp == stamp && $0.selection == selection && $0.priority == priority
        }) {
            return .push(known)
        }
        guard let update, let made = variant(stamp, selection, priority, update) else { return .nothing }
        // In a long break each fresh stamp makes another variant, so the oldest one goes.
        if variants.count >= Self.variantsMax { variants.removeFirst() }
        variants.append(made)
        bytesMax = max(bytesMax, made.body.count)
        return .push(made)
    }

    /// Returns the stamp with which the newest state can be sent to a phone; nil when a fresh one has to be taken
    /// first.
    private func stamp(
        for row: UnsafeMutablePointer<CohortRow>, of cohort: any Cohort, now: Int
    ) -> UInt32? {
        let own = stamp
        if row.pointee.delivered != 0 {
            // The own stamp is not later than what the phone shows, or the version is on its way to all phones. After a
            // hold or an outage it may be so old that the phone would call the state stale.
            guard row.pointee.delivered < own, now - Int(own) > cohort.lateAfter else { return own }
        }
        let tokenAt = row.pointee.flags.contains(.isNew) ? Int(row.pointee.tokenAt) : nil
        if StampRule.isUsable(Stamp(Int(own)), tokenAt: tokenAt, now: now) { return own }
        // A fresh stamp taken before the token was registered is usable only if it is later than the registration.
        guard let fresh, fresh.version == update?.version,
            StampRule.isUsable(
                fresh.stamp, tokenAt: fresh.at < row.pointee.tokenAt ? Int(row.pointee.tokenAt) : nil, now: now)
        else { return nil }
        return UInt32(clamping: fresh.stamp.rawValue)
    }

    private func priority(_ row: UnsafeMutablePointer<CohortRow>, hasAlert: Bool) -> APNsPriority {
        if hasAlert { return .immediate }
        if hold.stops(.alerts) || row.pointee.flags.contains(.repeatsQuietly) { return .routine }
        if row.pointee.delivered == 0 { return row.pointee.flags.contains(.isNew) ? .immediate : .routine }
        if repeatsQuietly { return .routine }
        // The version's own priority is not used: it may be for an alert that this phone does not get.
        return isSilentImmediate && !row.pointee.flags.contains(.isInfrequent) ? .immediate : .routine
    }

    private func variant(
        _ stamp: UInt32, _ selection: FreshAlerts.Selection, _ priority: APNsPriority, _ update: MatchUpdate
    ) -> PushVariant? {
        let alert = alerts.alert(of: selection, on: update.contentState)
        let kind: APNsHeaders.UpdateKind =
            if let alert { .alert(eventAt: alert.eventAt) } else if update.isInBreak {
                .beforeBreak(at: Int(stamp))
            } else { .routine(at: Int(stamp)) }
        let payload = try? LiveActivityPayload.update(
            stamp: Stamp(Int(stamp)), contentState: update.contentState,
            staleAt: LiveActivityPayload.staleAt(
                Stamp(Int(stamp)), isInBreak: update.isInBreak, keepAlive: rules.keepAlive),
            relevance: update.relevance, alert: alert.map { PushAlert($0) }
        ).encode()
        return payload.map {
            PushVariant(
                stamp: stamp, selection: selection, alert: alerts.newest(of: selection).map(Self.number) ?? 0,
                headers: .update(bundleID: rules.bundleID, priority: priority, kind), payload: $0)
        }
    }

    /// The progress of the newest version as of now.
    var progressNow: VersionProgress {
        var progress = progress
        progress.lacking = cohorts.reduce(0) { $0 + $1.backlog.rows(lacking: progress.version) }
        progress.isComplete =
            unclaimed.isEmpty
            && cohorts.allSatisfy {
                !$0.work.isListed && !$0.work.isPaused && $0.inFlight == 0 && $0.blocked.isEmpty
                    && $0.awaitingStamp.isEmpty
            }
        return progress
    }

    /// The length of the longest payload made for the newest version, at least `PushPayload.routineBytesAim`.
    private(set) var bytesMax = PushPayload.routineBytesAim
}
