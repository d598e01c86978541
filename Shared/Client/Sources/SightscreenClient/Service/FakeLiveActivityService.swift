public import SightscreenModels

/// Canned follow buttons and activities, for previews and tests of views.
public actor FakeLiveActivityService: LiveActivityService {
    private var followState: FollowState
    private var activities: [PhoneActivity]
    private var refusal: APIError?
    private let buttonBroadcast: Broadcast<[MatchID: FollowButton]>
    private let shown: Broadcast<[PhoneActivity]>

    public init(following: Set<MatchID> = [], activities: [PhoneActivity] = []) {
        let followState = FollowState(followed: following)
        self.followState = followState
        self.activities = activities
        buttonBroadcast = Broadcast(followState.followButtons)
        shown = Broadcast(activities)
    }

    /// Sets the error that `follow` throws from now on; nil for none.
    public func refuse(_ error: APIError?) { refusal = error }

    /// Sets the health of a match's activity.
    public func set(_ health: ActivityHealth, for match: MatchID) {
        followState.set(health, for: match)
        publish()
    }

    /// Sets the activities that the phone shows.
    public func show(_ activities: [PhoneActivity]) {
        self.activities = activities
        publish()
    }

    public func start() { isRegistered = true }
    public func stop() {}
    public func syncFollows() {}

    @discardableResult
    public func follow(
        _ match: MatchItem, teamID: String?, alerts: AlertLevel?
    ) throws(APIError) -> FollowResponse {
        if let refusal { throw refusal }
        followState.followAnswered(followState.follow(FollowRequest(matchId: match.id)), isFollowing: true)
        if match.status == .live { show(match) }
        publish()
        return FollowResponse(
            following: true, displayState: match.displayState,
            liveActivity: match.status == .live ? .starting : .scheduled)
    }

    public func unfollow(_ match: MatchID) {
        _ = followState.unfollow(match)
        followState.unfollowed(match)
        activities.removeAll { $0.matchID == match }
        publish()
    }

    public func followButton(for match: MatchID) -> FollowButton { followState.followButton(for: match) }
    public func followButtons() -> AsyncStream<[MatchID: FollowButton]> { buttonBroadcast.values() }
    public func shownActivities() -> AsyncStream<[PhoneActivity]> { shown.values() }
    public func enterForeground(_ scene: AppScene) {}
    public func enterBackground(_ scene: AppScene) {}
    public func connectionRestored() {}
    public func receive(_ push: AppPush) {}

    public private(set) var deviceToken: DeviceToken?
    /// Whether a phone is registered, which it is from `start` to `unregisterPhone`.
    public private(set) var isRegistered = false

    public func deviceTokenChanged(_ token: DeviceToken) { deviceToken = token }
    public func unregisterPhone() { isRegistered = false }

    public func signOut() {
        isRegistered = false
        followState = FollowState()
        activities = []
        publish()
    }

    public func deleteAccount() throws(APIError) {
        if let refusal { throw refusal }
        signOut()
    }

    /// Shows an activity for a match, as on a phone that may show them: one for each match.
    private func show(_ match: MatchItem) {
        guard let state = match.displayState, !activities.contains(where: { $0.matchID == match.id && $0.isRunning })
        else { return }
        activities.append(
            PhoneActivity(
                id: ActivityID("fake-\(match.id)"), attributes: LiveActivityAttributes(match),
                content: ShownContent(state: state), state: .active))
        followState.set(.running, for: match.id)
    }

    private func publish() {
        buttonBroadcast.send(followState.followButtons)
        shown.send(activities)
    }
}
