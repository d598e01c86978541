import Activities
import Messages
import SightscreenModels
import Store

/// What a coordinator knows of one match, beside what its loops do. Touched by the coordinator alone.
final class MatchFanOut {
    let id: MatchID
    let brake: MatchBrake
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
    /// For `sightscreen_fanout_seconds`: the last version whose time was told.
    var timedVersion = 0
    /// The loops have had all versions up to this one.
    var outThrough = MatchVersion(0)
    /// Of the newest version; nil when it is over.
    var span: FanOutSpan?
    /// What the operator was last told.
    var noted = VersionProgress()
    /// What was written of the progress of each shard.
    var settled: [Int: BucketProgress] = [:]

    init(id: MatchID, brake: MatchBrake) {
        self.id = id
        self.brake = brake
    }

    /// A break: nothing may come for as long as a keep-alive takes.
    var isInBreak: Bool { update?.isInBreak ?? false }
}
