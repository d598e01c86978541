import SightscreenModels

/// Measures the age of a new ball when a phone first shows it.
///
/// A version without a new ball (a keep-alive, a break, the result) is not measured, nor one that goes back to an
/// earlier score: both would be counted from a ball that has long been on the Lock Screen. A ball that waited for a
/// phone to be online again is not measured either, nor one that came before the activity's first update, while its
/// token was still on its way to the server.
struct BallLatency: Sendable {
    private var clock = BallClock()
    private var window = LatencyWindow()
    /// The time of the newest ball shown, or of the first update, by phone and activity. Earlier balls are not
    /// measured.
    private var since: [String: [String: Int64]] = [:]

    /// Records the newest frame of a match.
    mutating func show(_ label: String, of match: MatchID, atMs: Int64) { clock.show(label, of: match, atMs: atMs) }

    mutating func take(_ phone: LabPhoneState, before: LabPhoneState?) {
        var kept: [String: Int64] = [:]
        for activity in phone.activities {
            let earlier = before?.activities.first { $0.id == activity.id }
            kept[activity.id] = newest(activity, on: phone, before: earlier, since: since[phone.id]?[activity.id])
        }
        since[phone.id] = kept
    }

    var summary: LabLatency { window.summary }

    /// Measures the activity's new ball, if it shows one.
    ///
    /// - Returns: the new value of `since`.
    private mutating func newest(
        _ activity: LabActivity, on phone: LabPhoneState, before: LabActivity?, since: Int64?
    ) -> Int64? {
        guard let before, activity.content.version > before.content.version else { return since }
        guard let since else { return activity.shownAtMs }
        guard activity.content.ball != before.content.ball,
            let ball = clock.time(of: activity.content, activity.matchId), ball > since,
            activity.shownAtMs >= ball
        else { return since }
        if phone.onlineSinceMs < ball { window.add(Int(activity.shownAtMs - ball)) }
        return ball
    }
}

extension ContentState {
    /// The score and the overs, of which every ball changes at least one.
    fileprivate var ball: [String] { [compactLeading.score, compactTrailing.overs] }
}
