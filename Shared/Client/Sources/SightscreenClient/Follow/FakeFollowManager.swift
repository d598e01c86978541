public import SightscreenModels

/// A `FollowManager` without a backend, for previews and tests of code that uses a follow manager.
public actor FakeFollowManager: FollowManager {
    private var followState: FollowState
    private var user: UserID?
    private var refusal: APIError?
    private var outlook: LiveActivityOutlook
    private var displayState: ContentState?
    private var changed: @Sendable (FollowChanges) async -> Void = { _ in }
    private let buttonBroadcast = Broadcast<[MatchID: FollowButton]>([:])
    public private(set) var syncs = 0

    /// - Parameters:
    ///   - following: the matches that are followed at first.
    ///   - outlook: the outlook in the answer to a follow.
    ///   - displayState: the state in the answer to a follow.
    public init(
        following: Set<MatchID> = [], outlook: LiveActivityOutlook = .starting, displayState: ContentState? = nil
    ) {
        followState = FollowState(followed: following)
        self.outlook = outlook
        self.displayState = displayState
    }

    /// Sets the error that `follow` and `sync` throw from now on; nil for none.
    public func refuse(_ error: APIError?) { refusal = error }

    /// Reconciles the follows with those of the backend.
    public func reconcile(with server: Set<MatchID>) async {
        let changes = followState.reconcile(with: server, asked: followState.revision)
        publish()
        await changed(changes)
    }

    public func start(user: UserID, _ changed: @escaping @Sendable (FollowChanges) async -> Void) {
        self.user = user
        self.changed = changed
        publish()
    }

    public func follow(_ request: FollowRequest) throws(APIError) -> FollowResponse {
        let tap = followState.follow(request)
        defer { publish() }
        if let refusal {
            followState.followFailed(tap)
            throw refusal
        }
        followState.followAnswered(tap, isFollowing: true)
        return FollowResponse(following: true, displayState: displayState, liveActivity: outlook)
    }

    public func unfollow(_ match: MatchID) {
        _ = followState.unfollow(match)
        if refusal == nil { followState.unfollowed(match) }
        publish()
    }

    @discardableResult
    public func sync() throws(APIError) -> FollowChanges {
        syncs += 1
        if let refusal { throw refusal }
        return FollowChanges()
    }

    public func syncSoon() { syncs += 1 }

    public func dismissed(_ activity: ActivityID, of match: MatchID, isOnlyOne: Bool) {
        followState.dismissed(PendingOperation.Dismissal(match: match, activity: activity, isOnlyOne: isOnlyOne))
        retryNow()
    }

    public func retryNow() {
        defer { publish() }
        guard refusal == nil else { return }
        for match in followState.pendingUnfollows { followState.unfollowed(match) }
        for dismissal in followState.pendingDismissals {
            followState.answered(dismissal, isFollowing: !dismissal.isOnlyOne)
        }
    }

    public func allSent() {}

    public func sendPending(within limit: Duration) { retryNow() }

    public func followedMatchIds() -> Set<MatchID> { followState.followed }

    public func followedSide(of match: MatchID) -> String? { nil }

    public func pendingUnfollows() -> Set<MatchID> { followState.pendingUnfollows }

    public func pendingDismissals() -> Set<MatchID> { Set(followState.pendingDismissals.map(\.match)) }

    public func followedElsewhere(_ match: MatchID) -> Bool {
        defer { publish() }
        return followState.followedElsewhere(match) != .unwanted
    }

    public func set(_ health: ActivityHealth, for match: MatchID) {
        followState.set(health, for: match)
        publish()
    }

    public func set(showsActivities: Bool) {
        followState.showsActivities = showsActivities
        publish()
    }

    public func followButton(for match: MatchID) -> FollowButton { followState.followButton(for: match) }

    public func followButtons() -> AsyncStream<[MatchID: FollowButton]> { buttonBroadcast.values() }

    public func keptUser() -> UserID? { user }

    public func noteCardsTakenOff() {}

    public func cardsTakenOffAt() -> Int? { nil }

    public func forgetUser() {
        user = nil
        followState = FollowState()
        publish()
    }

    public func stop() {}

    private func publish() { buttonBroadcast.send(followState.followButtons) }
}
