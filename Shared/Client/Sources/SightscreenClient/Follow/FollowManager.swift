public import SightscreenModels

/// The user's follows, reconciled with the backend.
///
/// It does not know activities. The facade tells it their health, for the follow button.
public protocol FollowManager: Sendable {
    /// The user whose follows this phone stores; nil if there are none.
    func keptUser() async -> UserID?

    /// Records that the app is about to end all activities because the user leaves. It comes first, because the app may
    /// be ended at any moment.
    func noteCardsTakenOff() async

    /// The time of the last such record, in seconds since 1970; nil when there is none.
    func cardsTakenOffAt() async -> Int?

    /// Reads the user's follows that this phone stores, and begins to reconcile them with the backend's.
    ///
    /// - Parameters:
    ///   - user: the signed-in user.
    ///   - changed: receives each reconciliation that changed something; the manager waits for it.
    func start(user: UserID, _ changed: @escaping @Sendable (FollowChanges) async -> Void) async

    /// Follows a match after a tap on its follow button. The button fills at once. If the backend refuses, the button
    /// returns to its earlier state, and the error gives the reason.
    ///
    /// - Throws: the gateway's refusal; `APIError.superseded` when the user unfollowed before the call was sent.
    func follow(_ request: FollowRequest) async throws(APIError) -> FollowResponse

    /// Unfollows a match after another tap on its follow button. The button empties at once; the call is sent now, or
    /// as soon as the backend can be reached.
    func unfollow(_ match: MatchID) async

    /// Reconciles the follows with `GET /user/follows`. Concurrent calls share one request.
    @discardableResult
    func sync() async throws(APIError) -> FollowChanges

    /// Reconciles like `sync`, in the background, and repeats until the backend answers.
    func syncSoon() async

    /// Reports that the user removed an activity, which the backend may take for an unfollow. The report is sent now,
    /// or as soon as the backend can be reached, unless the user follows the match again before that.
    ///
    /// - Parameters:
    ///   - activity: the removed activity.
    ///   - match: its match.
    ///   - isOnlyOne: whether no other activity of the match runs on this phone.
    func dismissed(_ activity: ActivityID, of match: MatchID, isOnlyOne: Bool) async
    /// Sends all pending operations at once.
    func retryNow() async

    /// Returns when no pending operation and no reconciliation waits to be sent.
    func allSent() async

    /// Sends all pending operations once more, at a sign-out, and waits for them at most `limit`.
    func sendPending(within limit: Duration) async

    /// The matches that the user follows, as far as this phone knows. The last taps count before the backend has
    /// confirmed them.
    func followedMatchIds() async -> Set<MatchID>

    /// The side that the user follows in a match, as far as this process has learned; nil for neither.
    func followedSide(of match: MatchID) async -> String?

    /// The matches with unfollows that the backend has not confirmed.
    func pendingUnfollows() async -> Set<MatchID>
    /// The matches with dismissals that the backend has not confirmed.
    func pendingDismissals() async -> Set<MatchID>

    /// Records that a push started an activity for the match, so another phone follows it.
    ///
    /// - Returns: false when this phone has just unfollowed the match, and the activity is not wanted.
    func followedElsewhere(_ match: MatchID) async -> Bool

    // MARK: The follow button

    /// Sets the health of a match's activity, which its follow button shows.
    func set(_ health: ActivityHealth, for match: MatchID) async

    /// Sets whether the user allows the app to show activities. If not, the follow buttons of all followed matches
    /// warn.
    func set(showsActivities: Bool) async

    /// Returns a match's follow button: `FollowButton.empty` if it is not followed.
    func followButton(for match: MatchID) async -> FollowButton
    /// Returns a stream of all follow buttons that are not empty, now and after each change. A slow reader gets the
    /// newest value.
    func followButtons() async -> AsyncStream<[MatchID: FollowButton]>

    /// Removes the user's follows after a sign-out. Pending operations are kept for the user's next sign-in.
    func forgetUser() async

    /// Stops sending. Pending operations are kept for the next start.
    func stop() async
}
