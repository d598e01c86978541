import APNsProtocol
import Activities
import HTTP2
import Messages
import Sightscreen
import Store

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
        /// Those that have no answer yet.
        var shards: [Int]
        /// For how many the answer has been waited for.
        var ticks = 0
    }

    /// Seconds after which the newest state does not go to anybody any more under the stamp it was committed with.
    private static let lateAfter = 60
    /// Four with each of two stamps.
    private static let variantsMax = 8

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
        if let alert = new.alert, alertTimes[Self.number(new.version)] == nil {
            alerts.published(new.version, alert)
            alertTimes[Self.number(new.version)] = new.committedAtMs ?? Int64(new.stamp.rawValue) * 1_000
        }
        if let update {
            guard (update.version, update.stamp) < (new.version, new.stamp) else { return false }
            if update.version < new.version { fresh = nil }
        }
        if update?.version != new.version { versionStamp = UInt32(clamping: new.stamp.rawValue) }
        coarse.published(new, isForAll: repeatsQuietly)
        update = new
        self.repeatsQuietly = repeatsQuietly
        variants.removeAll(keepingCapacity: true)
        bytesMax = PushPayload.routineBytesAim
        return true
    }

    func forgetOldAlerts(now: Int) {
        alerts.expire(now: now)
        let kept = Set(alerts.entries.map { Self.number($0.version) })
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

    /// The alert that a phone is to be told with the newest state, if any.
    func alert(for row: UnsafeMutablePointer<CohortRow>, _ cohort: TokenCohort, now: Int) -> AlertRide.Entry? {
        guard !alerts.entries.isEmpty, !brake.stops(.alerts) else { return nil }
        let level = row.pointee.alertLevel
        guard level != .none else { return nil }
        return alerts.entries.last { entry in
            let version = Self.number(entry.version)
            return version > row.pointee.alertedThrough && cohort.gained.contains(version)
                && alerts.isFresh(entry, now: now) && isNews(entry, to: row)
        }
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
        _ row: UnsafeMutablePointer<CohortRow>, _ alert: AlertRide.Entry?, mayBeImmediate: Bool = true, now: Int
    ) -> Need {
        guard let update else { return .nothing }
        if row.pointee.flags.contains(.isInfrequent), alert == nil, row.pointee.delivered >= max(coarse.stamp, 1) {
            return .nothing
        }
        guard let stamp = stamp(for: row, update, now: now) else { return .stamp }
        guard row.pointee.delivered < stamp else { return .nothing }
        if repeatsQuietly, alert == nil, row.pointee.delivered >= versionStamp, !row.pointee.isShortLived {
            // It has this state by a push that lives for long enough.
            row.pointee.delivered = stamp
            progress.targeted -= 1
            return .nothing
        }
        let priority = mayBeImmediate ? priority(row, update, hasAlert: alert != nil) : .routine
        let version = alert.map { Self.number($0.version) } ?? 0
        if let known = variants.first(where: {
            $0.stamp == stamp && $0.alert == version && $0.priority == priority
        }) {
            return .push(known)
        }
        guard let made = variant(stamp, alert, priority, update) else { return .nothing }
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
        guard let fresh, fresh.version == update.version, fresh.at >= row.pointee.tokenAt,
            StampRule.isUsable(fresh.stamp, tokenAt: nil, now: now)
        else { return nil }
        return UInt32(clamping: fresh.stamp.rawValue)
    }

    private func priority(
        _ row: UnsafeMutablePointer<CohortRow>, _ update: MatchUpdate, hasAlert: Bool
    ) -> APNsPriority {
        if hasAlert { return .immediate }
        if brake.stops(.alerts) || row.pointee.flags.contains(.repeatsQuietly) { return .routine }
        if row.pointee.delivered == 0 { return row.pointee.flags.contains(.isNew) ? .immediate : .routine }
        if repeatsQuietly { return .routine }
        // The version's priority was for an alert that this phone does not get.
        if update.alert != nil || row.pointee.flags.contains(.isInfrequent) { return .routine }
        return update.priority == 10 ? .immediate : .routine
    }

    private func variant(
        _ stamp: UInt32, _ alert: AlertRide.Entry?, _ priority: APNsPriority, _ update: MatchUpdate
    ) -> PushVariant? {
        let kind: APNsHeaders.UpdateKind =
            if let alert { .alert(eventAt: alert.alert.eventAt) } else if isInBreak {
                .beforeBreak(at: Int(stamp))
            } else { .routine(at: Int(stamp)) }
        let payload = try? LiveActivityPayload.update(
            stamp: Stamp(Int(stamp)), contentState: update.contentState,
            staleAt: Int(stamp) + 600 + (isInBreak ? rules.keepAlive : 0), relevance: update.relevance,
            alert: alert.map { PushAlert($0.alert) }
        ).encode()
        return payload.map {
            PushVariant(
                stamp: stamp, alert: alert.map { Self.number($0.version) } ?? 0,
                headers: .update(bundleID: rules.bundleID, priority: priority, kind), payload: $0)
        }
    }

    private var isInBreak: Bool { update?.contentState.isBreak ?? false }

    /// What an operator may know of the newest version.
    var progressNow: VersionProgress {
        var progress = progress
        progress.isComplete =
            unclaimed.isEmpty
            && cohorts.allSatisfy {
                !$0.isListed && $0.inFlight == 0 && !$0.isHeldUp && $0.parked.isEmpty && $0.awaitingStamp.isEmpty
            }
        return progress
    }

    /// No payload of the newest version is longer.
    private(set) var bytesMax = PushPayload.routineBytesAim
}
