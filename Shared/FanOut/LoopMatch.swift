import APNsProtocol
import Activities
import HTTP2
import Messages
import SightscreenModels

/// What a loop knows of one match. Touched by its loop alone.
final class LoopMatch {
    /// What a version is made into for the phones.
    struct Rules: Sendable {
        var bundleID: String
        /// Seconds in which an alert is news.
        var freshness: Int
        /// Seconds after which a break has another version.
        var keepAlive: Int
    }

    /// Of an alert, for some shards.
    struct Claim {
        let version: MatchVersion
        /// Those that have no answer yet, with the epochs under which they are held.
        var shards: [Int: Int64]
        /// For how many the answer has been waited for.
        var ticks = 0
    }

    /// Seconds after which the newest state does not go to anybody any more under the stamp it was committed with.
    private static let lateAfter = 60
    /// With one or two fresh alerts a version has four at most: its state alone, and with each set of them that a phone has
    /// still to hear. There is room for as many again with another stamp, and for what a third alert brings.
    private static let variantsMax = 16

    /// States of a match that go at priority 10 without an alert, in an hour: the last five overs of a chase are some thirty
    /// balls, each of up to three versions. A phone takes some 230 in an hour where its user has left frequent updates on;
    /// what is left is for alerts and for another match.
    static let silentImmediatesPerHour = 120

    let id: MatchID
    let brake: MatchBrake
    private let rules: Rules
    private(set) var update: MatchUpdate?
    private(set) var coarse = CoarseVersions()
    private(set) var alerts: AlertRide
    /// When versions with an alert were committed, milliseconds since 1970.
    private var alertTimes: [UInt32: Int64] = [:]
    /// A stamp that was taken for a repetition.
    var fresh: FreshStamp?
    var isTakingStamp = false
    /// The newest version goes out once more, without alert, to those who got it with one: such pushes are about to expire.
    private(set) var repeatsQuietly = false
    /// The stamp that the newest version was committed with.
    private var versionStamp: UInt32 = 0
    var cohorts: [TokenCohort] = []
    /// The last alert that phones were told over activities that are gone, while it is news: the next activity on such a
    /// phone does not tell it again.
    private(set) var told: [RosterKey: UInt32] = [:]
    /// When there was last anything to do with it, by `MonotonicTime`.
    var usedAt = MonotonicTime.now
    /// Those that have not begun with the newest alert: one after the other is claimed for.
    var unclaimed: [TokenCohort] = []
    /// The one that is not answered.
    var claim: Claim?
    /// The last one took its time.
    var claimsAreSlow = false
    var progress = VersionProgress()
    private var silentImmediates = HourlyBudget()
    /// The newest version goes at priority 10 though it has no alert.
    private var isSilentImmediate = false
    private var variants: [PushVariant] = []

    init(id: MatchID, brake: MatchBrake, rules: Rules) {
        self.id = id
        self.brake = brake
        self.rules = rules
        alerts = AlertRide(freshness: rules.freshness)
    }

    var stamp: UInt32 { UInt32(clamping: update?.stamp.rawValue ?? 0) }

    /// - Returns: whether it is news: a newer version, or the newest one with a later stamp.
    func publish(_ new: MatchUpdate, repeatsQuietly: Bool) -> Bool {
        if alerts.published(new.version, new.alert, retracted: new.retracted ?? []) {
            variants.removeAll(keepingCapacity: true)
        }
        if new.alert != nil, alertTimes[Self.number(new.version)] == nil {
            alertTimes[Self.number(new.version)] = new.committedAtMs ?? Int64(new.stamp.rawValue) * 1_000
        }
        if let update {
            guard (update.version, update.stamp) < (new.version, new.stamp) else { return false }
            if update.version < new.version { fresh = nil }
        }
        if update?.version != new.version {
            versionStamp = UInt32(clamping: new.stamp.rawValue)
            // One budget for all phones of the match: each of them gets the same versions.
            let (most, now) = (Self.silentImmediatesPerHour, new.stamp.rawValue)
            // A wicket among such versions is one of them for a follower who wants no alert.
            isSilentImmediate =
                new.priority == 10 && (new.alert == nil || isSilentImmediate)
                && silentImmediates.hasRoom(of: most, now: now)
            if isSilentImmediate { silentImmediates.take(of: most, now: now) }
        }
        coarse.published(new, isForAll: repeatsQuietly)
        update = new
        self.repeatsQuietly = repeatsQuietly
        variants.removeAll(keepingCapacity: true)
        bytesMax = PushPayload.routineBytesAim
        return true
    }

    func forgetOldAlerts(now: Int) {
        if alerts.expire(now: now) { variants.removeAll(keepingCapacity: true) }
        // What a correction is about is asked for as long as the correction is news.
        let kept = Set(alerts.entries.flatMap { [$0.version, $0.corrects].compactMap { $0 } }.map(Self.number))
        alertTimes = alertTimes.filter { kept.contains($0.key) }
        for cohort in cohorts {
            cohort.tried.formIntersection(kept)
            cohort.gained.formIntersection(kept)
        }
    }

    /// An activity is gone.
    /// - Parameter alert: the last one that it told; 0 for none.
    func noteTold(_ alert: UInt32, on phone: RosterKey, now: Int) {
        guard alert > 0, alerts.hasFresh(now: now) else { return }
        told[phone] = max(alert, told[phone] ?? 0)
    }

    func forgetTold(now: Int) {
        guard !told.isEmpty, !alerts.hasFresh(now: now) else { return }
        told = [:]
    }

    static func number(_ version: MatchVersion) -> UInt32 { UInt32(clamping: version.rawValue) }

    // MARK: - What a phone gets

    enum Need {
        case nothing
        case push(PushVariant)
        /// A fresh stamp has to be taken first.
        case stamp
    }

    /// The alerts that a phone is to be told with the newest state.
    func riders(for row: UnsafeMutablePointer<CohortRow>, _ cohort: TokenCohort, now: Int) -> AlertRide.Riders {
        guard !alerts.entries.isEmpty, row.pointee.alertLevel != .none, !brake.stops(.alerts) else { return .init() }
        return alerts.riders(after: MatchVersion(Int(row.pointee.alertedThrough)), now: now) { entry in
            cohort.gained.contains(Self.number(entry.version)) && isNews(entry, to: row)
                && !(entry.corrects.map { isUntold($0, to: row, cohort) } ?? false)
        }
    }

    /// Whether this process alone may tell an alert to a phone, and has not told it.
    private func isUntold(
        _ version: MatchVersion, to row: UnsafeMutablePointer<CohortRow>, _ cohort: TokenCohort
    ) -> Bool {
        let number = Self.number(version)
        return cohort.gained.contains(number) && row.pointee.alertedThrough < number
    }

    /// Whether a phone wants an alert, and its activity was there in time: what happened before is no news on it, and may
    /// have been told to the one before. Stamps are whole seconds, and run ahead of the clock.
    private func isNews(_ entry: AlertRide.Entry, to row: UnsafeMutablePointer<CohortRow>) -> Bool {
        guard entry.alert.isWanted(at: row.pointee.alertLevel), let time = alertTimes[Self.number(entry.version)] else {
            return false
        }
        return time >= Int64((row.pointee.tokenAt * 1_000).rounded(.down))
    }

    /// Phones that will not be told an alert, because another process has claimed it for them.
    func lost(_ version: MatchVersion, _ cohort: TokenCohort) -> Int {
        guard let entry = alerts.entries.first(where: { $0.version == version }) else { return 0 }
        return (0..<cohort.slots).count { slot in
            let row = cohort.row(slot)
            return row.pointee.flags.contains(.isUsed) && !row.pointee.flags.contains(.isLeaving)
                && row.pointee.delivered < stamp && isNews(entry, to: row)
        }
    }

    /// The newest version is for phones with few updates, too, if it is time.
    /// - Returns: whether it has become so.
    func coarsen(now: Int) -> Bool {
        guard let update else { return false }
        return coarse.pass(update, now: now)
    }

    /// What a phone needs now.
    /// - Parameters:
    ///   - mayBeImmediate: it has a push at priority 10 left.
    ///   - now: seconds since 1970 by the database's clock.
    func need(
        _ row: UnsafeMutablePointer<CohortRow>, _ riders: AlertRide.Riders, mayBeImmediate: Bool = true, now: Int
    ) -> Need {
        guard let update else { return .nothing }
        if row.pointee.flags.contains(.isInfrequent), riders.isEmpty, row.pointee.delivered >= max(coarse.stamp, 1) {
            return .nothing
        }
        guard let stamp = stamp(for: row, update, now: now) else { return .stamp }
        guard row.pointee.delivered < stamp else { return .nothing }
        if repeatsQuietly, riders.isEmpty, row.pointee.delivered >= versionStamp, !row.pointee.isShortLived {
            // It has this state by a push that lives for long enough.
            row.pointee.delivered = stamp
            progress.targeted -= 1
            return .nothing
        }
        let priority = mayBeImmediate ? priority(row, hasAlert: !riders.isEmpty) : .routine
        if let known = variants.first(where: {
            $0.stamp == stamp && $0.riders == riders && $0.priority == priority
        }) {
            return .push(known)
        }
        guard let made = variant(stamp, riders, priority, update) else { return .nothing }
        // A long break takes a stamp now and then.
        if variants.count >= Self.variantsMax { variants.removeFirst() }
        variants.append(made)
        bytesMax = max(bytesMax, made.body.count)
        return .push(made)
    }

    /// The stamp with which the newest state can go to a phone; nil when one has to be taken first.
    private func stamp(for row: UnsafeMutablePointer<CohortRow>, _ update: MatchUpdate, now: Int) -> UInt32? {
        let own = stamp
        if row.pointee.delivered != 0 {
            // It is not later than what it shows, or it is on its way to all; after a hold or an outage it could be so old
            // that the phone would call it stale.
            guard row.pointee.delivered < own, now - Int(own) > Self.lateAfter else { return own }
        }
        let tokenAt = row.pointee.flags.contains(.isNew) ? Int(row.pointee.tokenAt) : nil
        if StampRule.isUsable(update.stamp, tokenAt: tokenAt, now: now) { return own }
        // One that was taken before the token came may still be later than it.
        guard let fresh, fresh.version == update.version,
            StampRule.isUsable(
                fresh.stamp, tokenAt: fresh.at < row.pointee.tokenAt ? Int(row.pointee.tokenAt) : nil, now: now)
        else { return nil }
        return UInt32(clamping: fresh.stamp.rawValue)
    }

    private func priority(_ row: UnsafeMutablePointer<CohortRow>, hasAlert: Bool) -> APNsPriority {
        if hasAlert { return .immediate }
        if brake.stops(.alerts) || row.pointee.flags.contains(.repeatsQuietly) { return .routine }
        if row.pointee.delivered == 0 { return row.pointee.flags.contains(.isNew) ? .immediate : .routine }
        if repeatsQuietly { return .routine }
        // The version's priority may have been for an alert that this phone does not get.
        return isSilentImmediate && !row.pointee.flags.contains(.isInfrequent) ? .immediate : .routine
    }

    private func variant(
        _ stamp: UInt32, _ riders: AlertRide.Riders, _ priority: APNsPriority, _ update: MatchUpdate
    ) -> PushVariant? {
        let alert = alerts.alert(of: riders)
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
                stamp: stamp, riders: riders, alert: alerts.newest(of: riders).map(Self.number) ?? 0,
                headers: .update(bundleID: rules.bundleID, priority: priority, kind), payload: $0)
        }
    }

    /// What an operator may know of the newest version.
    var progressNow: VersionProgress {
        var progress = progress
        progress.isComplete =
            unclaimed.isEmpty
            && cohorts.allSatisfy {
                !$0.work.isListed && !$0.work.isHeldUp && $0.inFlight == 0 && $0.parked.isEmpty
                    && $0.awaitingStamp.isEmpty
            }
        return progress
    }

    /// No payload of the newest version is longer.
    private(set) var bytesMax = PushPayload.routineBytesAim
}
