public import SightscreenModels

/// The facade of the three managers for Live Activities. Views and other services use only this.
public protocol LiveActivityService: Sendable {
    /// Starts the service. Call it in `didFinishLaunching`, also when the system launches the app in the background,
    /// and after a sign-in. Does nothing while no user is signed in, or while the phone's
    /// id is not known, which may be so between a restart and the first unlock.
    ///
    /// It adopts the activities on the phone and begins to observe them and their tokens. It returns without waiting
    /// for the network.
    func start() async

    /// Stops observing and sending. Activities, follows and pending operations stay as they are.
    func stop() async

    /// Reconciles the follows with the backend's, and returns when that is done. It is a phase of the launch, which may
    /// come before `start`. `start` reconciles, too, without waiting.
    func syncFollows() async throws(APIError)

    /// Follows a match after a tap on its follow button, which fills at once. For a match in play, the Live Activity
    /// starts on this phone.
    ///
    /// - Throws: the reason why the backend does not accept the follow; the follow button is empty again then. An
    ///   activity that could not be started is no error: the follow button shows it.
    @discardableResult
    func follow(
        _ match: MatchItem, teamID: String?, alerts: AlertLevel?
    ) async throws(APIError) -> FollowResponse

    /// Unfollows a match after another tap on its follow button. It empties the button and ends the activity at once,
    /// with or without a network.
    func unfollow(_ match: MatchID) async

    /// Returns a match's follow button; `FollowButton.empty` if it is not followed.
    func followButton(for match: MatchID) async -> FollowButton

    /// Returns a stream of all follow buttons that are not empty, now and after each change.
    func followButtons() async -> AsyncStream<[MatchID: FollowButton]>

    /// Returns a stream of this phone's activities, now and after each change.
    func shownActivities() async -> AsyncStream<[PhoneActivity]>

    /// Handles an active scene, before or after `start`: ends stale activities, starts the attempts that wait for the
    /// network, and tells the backend that the app is open.
    func enterForeground(_ scene: AppScene) async

    /// Handles a scene in the background. The app is there when all its scenes are.
    func enterBackground(_ scene: AppScene) async

    /// Starts waiting attempts when there is a network again.
    func connectionRestored() async

    /// Handles a push for the app: a silent one that woke it, or a notification that the user has tapped. After a
    /// silent push it returns when everything is sent, or after 20 s: the app then calls the system's completion
    /// handler.
    func receive(_ push: AppPush) async

    /// Registers the app's token for ordinary notifications, from the app delegate.
    func deviceTokenChanged(_ token: DeviceToken) async

    /// Unregisters this phone from the user: the backend stops sending to it. Nothing is registered until the next
    /// `stop` and `start`. If the backend cannot be reached, the call is not repeated, because a user who signs out
    /// does not wait.
    func unregisterPhone() async

    /// Ends all activities, unregisters this phone, and removes the user's data. Call it before the session is closed;
    /// `start` begins anew with the next user.
    func signOut() async

    /// Ends all activities, and deletes the user's account at the backend. Close the session afterwards.
    ///
    /// - Throws: the reason why the account is not deleted. Its activities have ended, and the backend starts them again
    ///   when the app next runs.
    func deleteAccount() async throws(APIError)
}

extension LiveActivityService {
    /// Handles the active scene of an app that has one.
    public func enterForeground() async { await enterForeground(.only) }

    /// Handles the scene in the background of an app that has one.
    public func enterBackground() async { await enterBackground(.only) }

    /// Starts the activity of a followed match again after it went: the button "Show again", which the app offers where
    /// `FollowButton.showsAgain` is true. It works while the app is in the foreground.
    @discardableResult
    public func showAgain(_ match: MatchItem) async throws(APIError) -> FollowResponse { try await follow(match) }

    @discardableResult
    public func follow(_ match: MatchItem) async throws(APIError) -> FollowResponse {
        try await follow(match, teamID: nil, alerts: nil)
    }
}
