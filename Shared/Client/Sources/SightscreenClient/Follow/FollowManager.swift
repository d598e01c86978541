public import SightscreenModels

/// What the user wants to follow, and its agreement with the backend.
///
/// It knows nothing of activities but how they do, which it is told for the bell.
public protocol FollowManager: Sendable {
    /// Whose follows this phone remembers; nil when nobody's.
    func keptUser() async -> UserID?

    /// The app is about to take all cards off, because the user leaves. It may not live to do more.
    func noteCardsTakenOff() async

    /// When that was last; seconds since 1970. Nil when it never was.
    func cardsTakenOffAt() async -> Int?

    /// Reads what this phone remembers of the user, and begins to bring the backend's and its own view together.
    ///
    /// - Parameter changed: gets each reconciliation that changed something, and is waited for.
    func start(user: UserID, _ changed: @escaping @Sendable (FollowChanges) async -> Void) async

    /// The bell was tapped. It fills at once; if the backend refuses it goes back and the error says why.
    ///
    /// - Throws: `APIError.superseded` when the user unfollowed before the call was sent.
    func follow(_ request: FollowRequest) async throws(APIError) -> FollowResponse

    /// The bell was tapped again. It empties at once; the backend is told now, or as soon as it can be reached.
    func unfollow(_ match: MatchID) async

    /// `GET /user/follows`. Concurrent calls share one.
    @discardableResult
    func sync() async throws(APIError) -> FollowChanges

    /// Like `sync`, some time soon, and again until the backend answers.
    func syncSoon() async

    /// The user took an activity off the screen, which the backend may take for an unfollow. It is told now, or as soon
    /// as it can be reached, unless the user follows the match again before that.
    ///
    /// - Parameter isOnlyOne: no other activity of the match runs on this phone.
    func dismissed(_ activity: ActivityID, of match: MatchID, isOnlyOne: Bool) async

    /// What the backend has not heard of goes now.
    func retryNow() async

    /// What the backend has not heard of is tried once more. To be called when the user signs out.
    func sendPending(within limit: Duration) async

    /// What the user follows, as far as this phone knows: his last taps count before the backend has heard of them.
    func followedMatchIds() async -> Set<MatchID>

    /// Matches with unfollows that the backend has not heard of.
    func pendingUnfollows() async -> Set<MatchID>
    /// Matches with dismissals that the backend has not heard of.
    func pendingDismissals() async -> Set<MatchID>

    /// A push started an activity for the match.
    /// - Returns: false when this phone has just unfollowed it: the activity is not wanted.
    func followedElsewhere(_ match: MatchID) async -> Bool

    // MARK: The bell

    /// How the match's activity does, which its bell shows.
    func set(_ health: ActivityHealth, for match: MatchID) async

    /// Whether the user lets the app show activities at all; if not, the bells of what he follows warn.
    func set(showsActivities: Bool) async

    /// `Bell.empty` for a match that is not followed.
    func bell(for match: MatchID) async -> Bell
    /// All bells that are not empty, now and after each change. A slow reader gets the newest.
    func bells() async -> AsyncStream<[MatchID: Bell]>

    /// Forgets the user: signed out. What the backend has not heard is kept for the user's next sign-in.
    func forgetUser() async

    /// Nothing is sent any more; what waits is kept for the next start.
    func stop() async
}
