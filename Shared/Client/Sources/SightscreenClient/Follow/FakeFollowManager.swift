public import SightscreenModels

/// Follows that no backend knows of, for previews and for tests of whoever uses a follow manager.
public actor FakeFollowManager: FollowManager {
    private var book: FollowBook
    private var user: UserID?
    private var refusal: APIError?
    private var outlook: LiveActivityOutlook
    private var displayState: ContentState?
    private var changed: @Sendable (FollowChanges) async -> Void = { _ in }
    private let bellBroadcast = Broadcast<[MatchID: Bell]>([:])
    public private(set) var syncs = 0

    /// - Parameters:
    ///   - outlook: what a follow is answered with.
    ///   - displayState: the same.
    public init(
        following: Set<MatchID> = [], outlook: LiveActivityOutlook = .starting, displayState: ContentState? = nil
    ) {
        book = FollowBook(followed: following)
        self.outlook = outlook
        self.displayState = displayState
    }

    /// What `follow` and `sync` throw from now on.
    public func refuse(_ error: APIError?) { refusal = error }

    /// The backend says that this is what is followed.
    public func reconcile(with server: Set<MatchID>) async {
        let changes = book.reconcile(with: server, asked: book.revision)
        publish()
        await changed(changes)
    }

    public func start(user: UserID, _ changed: @escaping @Sendable (FollowChanges) async -> Void) {
        self.user = user
        self.changed = changed
        publish()
    }

    public func follow(_ request: FollowRequest) throws(APIError) -> FollowResponse {
        let tap = book.follow(request)
        defer { publish() }
        if let refusal {
            book.followFailed(tap)
            throw refusal
        }
        book.followAnswered(tap, isFollowing: true)
        return FollowResponse(following: true, displayState: displayState, liveActivity: outlook)
    }

    public func unfollow(_ match: MatchID) {
        _ = book.unfollow(match)
        if refusal == nil { book.unfollowed(match) }
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
        book.dismissed(PendingWish.Dismissal(match: match, activity: activity, isOnlyOne: isOnlyOne))
        retryNow()
    }

    public func retryNow() {
        defer { publish() }
        guard refusal == nil else { return }
        for match in book.pendingUnfollows { book.unfollowed(match) }
        for dismissal in book.pendingDismissals { book.answered(dismissal, isFollowing: !dismissal.isOnlyOne) }
    }

    public func sendPending(within limit: Duration) { retryNow() }

    public func followedMatchIds() -> Set<MatchID> { book.followed }

    public func pendingUnfollows() -> Set<MatchID> { book.pendingUnfollows }

    public func pendingDismissals() -> Set<MatchID> { Set(book.pendingDismissals.map(\.match)) }

    public func followedElsewhere(_ match: MatchID) -> Bool {
        defer { publish() }
        return book.followedElsewhere(match) != .unwanted
    }

    public func set(_ health: ActivityHealth, for match: MatchID) {
        book.set(health, for: match)
        publish()
    }

    public func set(showsActivities: Bool) {
        book.showsActivities = showsActivities
        publish()
    }

    public func bell(for match: MatchID) -> Bell { book.bell(for: match) }

    public func bells() -> AsyncStream<[MatchID: Bell]> { bellBroadcast.values() }

    public func keptUser() -> UserID? { user }

    public func noteCardsTakenOff() {}

    public func cardsTakenOffAt() -> Int? { nil }

    public func forgetUser() {
        user = nil
        book = FollowBook()
        publish()
    }

    public func stop() {}

    private func publish() { bellBroadcast.send(book.bells) }
}
