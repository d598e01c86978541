public import SightscreenModels

/// Canned bells and activities, for previews and for tests of views.
public actor FakeLiveActivityService: LiveActivityService {
    private var book: FollowBook
    private var activities: [PhoneActivity]
    private var refusal: APIError?
    private let bellBroadcast: Broadcast<[MatchID: Bell]>
    private let shown: Broadcast<[PhoneActivity]>

    public init(following: Set<MatchID> = [], activities: [PhoneActivity] = []) {
        let book = FollowBook(followed: following)
        self.book = book
        self.activities = activities
        bellBroadcast = Broadcast(book.bells)
        shown = Broadcast(activities)
    }

    /// What `follow` throws from now on.
    public func refuse(_ error: APIError?) { refusal = error }

    /// Lets a match's activity do well or badly.
    public func set(_ health: ActivityHealth, for match: MatchID) {
        book.set(health, for: match)
        publish()
    }

    /// Lets the phone show these.
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
        book.followAnswered(book.follow(FollowRequest(matchId: match.id)), isFollowing: true)
        if match.status == .live { show(match) }
        publish()
        return FollowResponse(
            following: true, displayState: match.displayState,
            liveActivity: match.status == .live ? .starting : .scheduled)
    }

    public func unfollow(_ match: MatchID) {
        _ = book.unfollow(match)
        book.unfollowed(match)
        activities.removeAll { $0.matchID == match }
        publish()
    }

    public func bell(for match: MatchID) -> Bell { book.bell(for: match) }
    public func bells() -> AsyncStream<[MatchID: Bell]> { bellBroadcast.values() }
    public func shownActivities() -> AsyncStream<[PhoneActivity]> { shown.values() }
    public func enterForeground() {}
    public func enterBackground() {}
    public func connectionRestored() {}
    public func receive(_ push: AppPush) {}

    public private(set) var deviceToken: DeviceToken?
    /// Whether a phone is registered: from `start` to `unregisterPhone`.
    public private(set) var isRegistered = false

    public func deviceTokenChanged(_ token: DeviceToken) { deviceToken = token }
    public func unregisterPhone() { isRegistered = false }

    public func signOut() {
        isRegistered = false
        book = FollowBook()
        activities = []
        publish()
    }

    /// As on a phone that may show activities: one for each match.
    private func show(_ match: MatchItem) {
        guard let state = match.displayState, !activities.contains(where: { $0.matchID == match.id && $0.isRunning })
        else { return }
        activities.append(
            PhoneActivity(
                id: ActivityID("fake-\(match.id)"), attributes: LiveActivityAttributes(match),
                content: ShownContent(state: state), state: .active))
        book.set(.running, for: match.id)
    }

    private func publish() {
        bellBroadcast.send(book.bells)
        shown.send(activities)
    }
}
