public import SightscreenModels

/// Live Activities as the app sees them: the one door to the three managers. Views and other services use nothing else.
public protocol LiveActivityService: Sendable {
    /// To be called in `didFinishLaunching`, also when the system launches the app in the background, and after a
    /// sign-in. Does nothing while nobody is signed in.
    ///
    /// Takes charge of the activities on the phone and begins to observe them and their tokens; returns without waiting
    /// for the network.
    func start() async

    /// Nothing is observed or sent any more; activities, follows and what waits to be sent stay as they are.
    func stop() async

    /// Brings the follows together with the backend's, and returns when that is done: a phase of the launch, which may
    /// come before `start`. `start` does it, too, without being waited for.
    func syncFollows() async throws(APIError)

    /// The bell was tapped. Fills it at once; in play the Live Activity starts here.
    ///
    /// - Throws: why the backend does not take the follow; the bell is empty again then. That no activity could be
    ///   started is no error: the bell shows it.
    @discardableResult
    func follow(
        _ match: MatchItem, teamID: String?, alerts: AlertLevel?
    ) async throws(APIError) -> FollowResponse

    /// The bell was tapped again. Empties it and ends the activity at once, with or without a network.
    func unfollow(_ match: MatchID) async

    /// How a match's bell is to be drawn now; `Bell.empty` for one that is not followed.
    func bell(for match: MatchID) async -> Bell

    /// All bells that are not empty, now and after each change.
    func bells() async -> AsyncStream<[MatchID: Bell]>

    /// What this phone's activities show, now and after each change.
    func shownActivities() async -> AsyncStream<[PhoneActivity]>

    /// The scene became active: stale activities end, what waits for the network is tried now, the backend hears that the
    /// app is open.
    func enterForeground() async

    /// The scene went to the background.
    func enterBackground() async

    /// There is a network again.
    func connectionRestored() async

    /// A push for the app: a silent one that woke it, or a notification that the user has tapped.
    func receive(_ push: AppPush) async

    /// The app's token for ordinary notifications, from the app delegate.
    func deviceTokenChanged(_ token: DeviceToken) async

    /// Takes this phone from the user: the backend sends it nothing any more. Nothing is registered until the next `stop`
    /// and `start`. If the backend cannot be reached it is not tried again: who signs out does not wait.
    func unregisterPhone() async

    /// Ends all activities, takes this phone from the user, and forgets the user. To be called before the session is
    /// closed; `start` goes on with the next user.
    func signOut() async
}

extension LiveActivityService {
    /// "Show again": the card of a followed match that was taken away comes back.
    @discardableResult
    public func showAgain(_ match: MatchItem) async throws(APIError) -> FollowResponse { try await follow(match) }

    @discardableResult
    public func follow(_ match: MatchItem) async throws(APIError) -> FollowResponse {
        try await follow(match, teamID: nil, alerts: nil)
    }
}
