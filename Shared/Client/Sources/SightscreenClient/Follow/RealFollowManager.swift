public import SightscreenModels

/// The follow manager over the gateway. It never sends a follow and an unfollow of one match at the same time, because
/// the backend goes by the order in which they arrive.
public actor RealFollowManager: FollowManager {
    private enum Slot: Hashable { case operations(MatchID), sync }

    private let api: SightscreenAPI
    private let device: DeviceIdentity
    private let followStore: FollowStore
    private let clock: any ClientClock
    private let background: any BackgroundTimePort
    private let jitter: @Sendable () -> Double
    private var changed: @Sendable (FollowChanges) async -> Void = { _ in }
    private var followState = FollowState()
    private var user: UserID?
    private var outbox: Outbox<Slot, Void>?
    /// The followed side of each match that has one.
    private var sides: [MatchID: String] = [:]
    /// Counts starts. The result of a call from before the last start does not change the state.
    private var starts = 0
    private var follows: [MatchID: Task<Result<FollowResponse, APIError>, Never>] = [:]
    private var syncing: Task<Result<FollowChanges, APIError>, Never>?
    private let buttonBroadcast = Broadcast<[MatchID: FollowButton]>([:])

    public init(
        api: SightscreenAPI, device: DeviceIdentity, store: any KeyValueStore, clock: any ClientClock,
        background: any BackgroundTimePort, jitter: @escaping @Sendable () -> Double = { Double.random(in: 0...1) }
    ) {
        self.api = api
        self.device = device
        followStore = FollowStore(store: store, clock: clock)
        self.clock = clock
        self.background = background
        self.jitter = jitter
    }

    public func start(user: UserID, _ changed: @escaping @Sendable (FollowChanges) async -> Void) async {
        guard outbox == nil else { return }
        self.changed = changed
        let showsActivities = followState.showsActivities
        followState = followStore.followState(of: user)
        followState.showsActivities = showsActivities
        self.user = user
        starts += 1
        let outbox = Outbox<Slot, Void>(clock: clock, background: background, jitter: jitter) {
            [weak self, starts] slot, _ in
            await self?.deliver(slot, start: starts) ?? .delivered
        }
        self.outbox = outbox
        publish()
        for match in followState.waiting { await outbox.put((), in: .operations(match)) }
        await outbox.put((), in: .sync)
    }

    public func keptUser() -> UserID? {
        followStore.store.strings(forKey: FollowStore.userKey)?.first.map { UserID($0) }
    }

    public func noteCardsTakenOff() { followStore.noteCardsTakenOff() }

    public func cardsTakenOffAt() -> Int? { followStore.cardsTakenOffAt }

    // MARK: - Taps

    public func follow(_ request: FollowRequest) async throws(APIError) -> FollowResponse {
        guard outbox != nil else { throw .signedOut }
        let start = starts
        let match = request.matchId
        // A stored follow that a later process sends starts no activity.
        var lasting = request
        lasting.startsLocally = nil
        let tap = followState.follow(lasting)
        if let side = request.teamId { sides[match] = side }
        save()
        // An unfollow or a dismissal under way ends before the follow is sent.
        await outbox?.withdraw(.operations(match))
        await endOfFollow(match)
        guard outbox != nil, starts == start, followState.isLast(tap) else { throw .superseded }
        let call = Task { [api] () -> Result<FollowResponse, APIError> in
            do throws(APIError) { return .success(try await api.follow(request)) } catch { return .failure(error) }
        }
        follows[match] = call
        let result = await call.value
        if follows[match] == call { follows[match] = nil }
        guard starts == start else { return try result.get() }
        switch result {
        case .success(let response): followState.followAnswered(tap, isFollowing: response.following)
        case .failure(let error):
            followState.followFailed(tap)
            // The follow may have taken effect all the same.
            if case .transport = error { await syncSoon() }
        }
        save()
        // There is a dismissal since, or an operation that the follow was to replace.
        if followState.waiting.contains(match) { await outbox?.put((), in: .operations(match)) }
        return try result.get()
    }

    private func endOfFollow(_ match: MatchID) async {
        while let call = follows[match] {
            _ = await call.value
            if follows[match] == call { follows[match] = nil }
        }
    }

    public func unfollow(_ match: MatchID) async {
        guard outbox != nil else { return }
        _ = followState.unfollow(match)
        sides[match] = nil
        save()
        await outbox?.put((), in: .operations(match))
    }

    public func dismissed(_ activity: ActivityID, of match: MatchID, isOnlyOne: Bool) async {
        guard outbox != nil else { return }
        followState.dismissed(PendingOperation.Dismissal(match: match, activity: activity, isOnlyOne: isOnlyOne))
        save()
        await outbox?.put((), in: .operations(match))
    }

    // MARK: - The backend

    private typealias Outcome = Outbox<Slot, Void>.Outcome

    private func deliver(_ slot: Slot, start: Int) async -> Outcome {
        switch slot {
        case .operations(let match): return await deliverOperations(match, start)
        case .sync:
            do throws(APIError) {
                _ = try await sync()
                return .delivered
            } catch { return error.passes ? .retry(after: error.retryAfter) : .delivered }
        }
    }

    private func deliverOperations(_ match: MatchID, _ start: Int) async -> Outcome {
        await endOfFollow(match)
        do throws(APIError) {
            while starts == start, try await deliverNext(of: match, start) {}
            return .delivered
        } catch { return .retry(after: error.retryAfter) }
    }

    /// - Returns: false when there is nothing to deliver.
    /// - Throws: a failure that passes.
    private func deliverNext(of match: MatchID, _ start: Int) async throws(APIError) -> Bool {
        if followState.pendingUnfollows.contains(match) {
            // A refusal means that there is no such match, and nothing to unfollow.
            _ = try await answer { [api] () throws(APIError) in try await api.unfollow(match) }
            guard starts == start else { return false }
            followState.unfollowed(match)
        } else if let (tap, request) = followState.interruptedFollow(match) {
            let response = try await answer { [api] () throws(APIError) in try await api.follow(request) }
            guard starts == start else { return false }
            followState.followAnswered(tap, isFollowing: response?.following ?? false)
        } else if followState.pendingFollows[match] == nil,
            let dismissal = followState.pendingDismissals.first(where: { $0.match == match })
        {
            let report = ActivityDismissedRequest(deviceId: await device.id(), activityId: dismissal.activity)
            // A refusal means that the backend does not know the match or the phone, and there is nothing to unfollow.
            let response = try await answer { [api] () throws(APIError) in
                try await api.reportDismissal(report, match: match)
            }
            guard starts == start else { return false }
            followState.answered(dismissal, isFollowing: response?.following ?? true)
        } else {
            // A follow that is about to be sent replaces the other operations.
            return false
        }
        save()
        return true
    }

    /// - Returns: the answer; nil when the backend refuses the call for good.
    private func answer<Answer>(_ call: () async throws(APIError) -> Answer) async throws(APIError) -> Answer? {
        do { return try await call() } catch {
            if error.passes { throw error }
            return nil
        }
    }

    @discardableResult
    public func sync() async throws(APIError) -> FollowChanges {
        guard outbox != nil else { throw .signedOut }
        if let syncing { return try await syncing.value.get() }
        let call = Task { await self.reconcile() }
        syncing = call
        let result = await call.value
        syncing = nil
        return try result.get()
    }

    private func reconcile() async -> Result<FollowChanges, APIError> {
        let asked = followState.revision
        do throws(APIError) {
            let follows = try await api.follows()
            guard outbox != nil else { return .failure(.superseded) }
            // The answer may be older than a tap since.
            if followState.revision == asked {
                sides = follows.reduce(into: [:]) { sides, follow in sides[follow.matchId] = follow.teamId }
            }
            let changes = followState.reconcile(with: Set(follows.map(\.matchId)), asked: asked)
            save()
            if changes != FollowChanges() { await changed(changes) }
            return .success(changes)
        } catch { return .failure(error) }
    }

    public func syncSoon() async { await outbox?.put((), in: .sync) }

    public func retryNow() async { await outbox?.retryNow() }

    public func allSent() async { await outbox?.emptied() }

    public func sendPending(within limit: Duration) async {
        guard let outbox, !followState.waiting.isEmpty else { return }
        _ = await finished(within: limit, clock) { await outbox.finish() }
    }

    public func followedElsewhere(_ match: MatchID) async -> Bool {
        let elsewhere = followState.followedElsewhere(match)
        guard elsewhere == .new else { return elsewhere == .known }
        save()
        await syncSoon()
        return true
    }

    public func followedMatchIds() -> Set<MatchID> { followState.followed }

    public func followedSide(of match: MatchID) -> String? { sides[match] }

    public func pendingUnfollows() -> Set<MatchID> { followState.pendingUnfollows }

    public func pendingDismissals() -> Set<MatchID> { Set(followState.pendingDismissals.map(\.match)) }

    // MARK: - The follow button

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

    private func publish() {
        let followButtons = followState.followButtons
        if followButtons != buttonBroadcast.latest { buttonBroadcast.send(followButtons) }
    }

    /// Writes the state. Calls that end after a stop write nothing, because another user may own the store by then.
    private func save() {
        if outbox != nil, let user { followStore.keep(followState, of: user) }
        publish()
    }

    // MARK: - Ends

    public func forgetUser() {
        followStore.leave()
        user = nil
        followState = FollowState()
        sides = [:]
        publish()
    }

    public func stop() async {
        let stopped = outbox
        outbox = nil
        let calls = Array(follows.values)
        let sync = syncing
        for call in calls { call.cancel() }
        sync?.cancel()
        await stopped?.stop()
        for call in calls { _ = await call.value }
        _ = await sync?.value
    }
}
