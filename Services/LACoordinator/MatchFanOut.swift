import APNsProtocol
import Activities
import Messages
import Sightscreen
import Store

/// What a coordinator knows of one match. Touched by the coordinator alone.
final class MatchFanOut {
    struct Variant: Hashable {
        var stamp: Stamp
        var alert: MatchVersion?
    }

    /// An alert's claim: for which buckets it was tried and gained, and who wants it.
    struct Claim {
        var stamp: Stamp
        /// Since 1970, in full milliseconds like the times of tokens beside it.
        var committedAtMs: Int64
        var tried: Set<Int> = []
        var gained: Set<Int> = []
        var levels: [UserID: AlertLevel] = [:]
    }

    let id: MatchID
    let brake: MatchBrake
    var rows: [ActivityKey: RosterRow] = [:]
    /// The newest version; its stamp moves when the state is repeated.
    var update: MatchUpdate?
    /// All versions up to this one have been seen, so that no alert between is missed.
    var seenThrough = MatchVersion(0)
    var alerts: AlertRide
    var claims: [MatchVersion: Claim] = [:]
    /// Claims are being made: what is sent now would go without its alert.
    var isClaiming = false
    /// The last stamp that was taken for a repetition, and whether one is being taken.
    var fresh: FreshStamp?
    var isTakingStamp = false
    /// Rows that wait for a stamp, for room, or for the end of a hold.
    var isHeldUp = false
    /// A hold kept its newest version from leaving.
    var wasBraked = false
    /// The newest version goes out once more, without alert: its alert pushes are about to expire.
    var repeatsQuietly = false
    /// When that is due, seconds since 1970.
    var repeatDueAt: Int?
    var payloads: [Variant: PushPayload] = [:]
    /// For `sightscreen_fanout_seconds`: when the newest version came, and the rows that have not taken it.
    var publishedAt = ContinuousClock.now
    var outstanding = 0
    /// Progress may have to be written, and what was written.
    var needsSettling = false
    var settled: [Int: Stamp] = [:]

    init(id: MatchID, brake: MatchBrake, freshness: Int) {
        self.id = id
        self.brake = brake
        alerts = AlertRide(freshness: freshness)
    }

    /// What waits may go, as far as the operator is concerned.
    var canGoOn: Bool { isHeldUp && !brake.stops(.pushes) }

    /// Activities that do not show the newest state.
    var behind: Int {
        guard let newest = update?.stamp else { return 0 }
        return rows.values.count { $0.convergence.delivered.map { $0 < newest } ?? true }
    }

    /// A break: nothing may come for as long as a keep-alive takes.
    var isInBreak: Bool {
        guard let state = update?.contentState else { return false }
        switch state.matchDisplayState {
        case .inningsBreak, .suspended: return true
        case .live: return state.expanded.status != nil
        case .scheduled, .completed, .abandoned, .other: return false
        }
    }
}
