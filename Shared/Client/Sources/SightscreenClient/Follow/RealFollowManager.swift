public import SightscreenModels

/// Follows and unfollows of one match never overlap on their way to the backend, which goes by the order in which they
/// arrive.
public actor RealFollowManager: FollowManager {
    private enum Slot: Hashable { case wishes(MatchID), sync }

    private let api: SightscreenAPI
    private let device: DeviceID
    private let followStore: FollowStore
    private let clock: any ClientClock
    private let jitter: @Sendable () -> Double
    private var changed: @Sendable (FollowChanges) async -> Void = { _ in }
    private var book = FollowBook()
    private var user: UserID?
    private var outbox: Outbox<Slot, Void>?
    /// Counts starts: what was under way before the last one says nothing of this one's book.
    private var starts = 0
    private var follows: [MatchID: Task<Result<FollowResponse, APIError>, Never>] = [:]
    private var syncing: Task<Result<FollowChanges, APIError>, Never>?
    private let bellBroadcast = Broadcast<[MatchID: Bell]>([:])

    /// - Parameter device: `identifierForVendor`.
    public init(
        api: SightscreenAPI, device: DeviceID, store: any KeyValueStore, clock: any ClientClock,
        jitter: @escaping @Sendable () -> Double = { Double.random(in: 0...1) }
    ) {
        self.api = api
        self.device = device
        followStore = FollowStore(store: store, clock: clock)
        self.clock = clock
        self.jitter = jitter
    }

    public func start(user: UserID, _ changed: @escaping @Sendable (FollowChanges) async -> Void) async {
        guard outbox == nil else { return }
        self.changed = changed
        let showsActivities = book.showsActivities
        book = followStore.book(of: user)
        book.showsActivities = showsActivities
        self.user = user
        starts += 1
        let outbox = Outbox<Slot, Void>(clock: clock, jitter: jitter) { [weak self, starts] slot, _ in
            await self?.deliver(slot, start: starts) ?? .taken
        }
        self.outbox = outbox
        publish()
        for match in book.waiting { await outbox.put((), in: .wishes(match)) }
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
        // One that is sent by a later process starts nothing.
        var lasting = request
        lasting.startsLocally = nil
        let tap = book.follow(lasting)
        save()
        // One after the other: an unfollow or a dismissal that is under way, and a follow.
        await outbox?.withdraw(.wishes(match))
        await endOfFollow(match)
        guard outbox != nil, starts == start, book.isLast(tap) else { throw .superseded }
        let call = Task { [api] () -> Result<FollowResponse, APIError> in
            do throws(APIError) { return .success(try await api.follow(request)) } catch { return .failure(error) }
        }
        follows[match] = call
        let result = await call.value
        if follows[match] == call { follows[match] = nil }
        guard starts == start else { return try result.get() }
        switch result {
        case .success(let response): book.followAnswered(tap, isFollowing: response.following)
        case .failure(let error):
            book.followFailed(tap)
            // It may have taken effect after all.
            if case .transport = error { await syncSoon() }
        }
        save()
        // A dismissal since, or what the follow was to replace.
        if book.waiting.contains(match) { await outbox?.put((), in: .wishes(match)) }
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
        _ = book.unfollow(match)
        save()
        await outbox?.put((), in: .wishes(match))
    }

    public func dismissed(_ activity: ActivityID, of match: MatchID, isOnlyOne: Bool) async {
        guard outbox != nil else { return }
        book.dismissed(PendingWish.Dismissal(match: match, activity: activity, isOnlyOne: isOnlyOne))
        save()
        await outbox?.put((), in: .wishes(match))
    }

    // MARK: - The backend

    private typealias Outcome = Outbox<Slot, Void>.Outcome

    private func deliver(_ slot: Slot, start: Int) async -> Outcome {
        switch slot {
        case .wishes(let match): return await deliverWishes(match, start)
        case .sync:
            do throws(APIError) {
                _ = try await sync()
                return .taken
            } catch { return error.passes ? .again(after: error.retryAfter) : .taken }
        }
    }

    private func deliverWishes(_ match: MatchID, _ start: Int) async -> Outcome {
        await endOfFollow(match)
        do throws(APIError) {
            while starts == start, try await deliverNext(of: match, start) {}
            return .taken
        } catch { return .again(after: error.retryAfter) }
    }

    /// - Returns: false when there is nothing to deliver.
    /// - Throws: what passes.
    private func deliverNext(of match: MatchID, _ start: Int) async throws(APIError) -> Bool {
        if book.pendingUnfollows.contains(match) {
            // Refused: there is no such match, and nothing is followed.
            _ = try await answer { [api] () throws(APIError) in try await api.unfollow(match) }
            guard starts == start else { return false }
            book.unfollowed(match)
        } else if let (tap, request) = book.interruptedFollow(match) {
            let response = try await answer { [api] () throws(APIError) in try await api.follow(request) }
            guard starts == start else { return false }
            book.followAnswered(tap, isFollowing: response?.following ?? false)
        } else if book.pendingFollows[match] == nil,
            let dismissal = book.pendingDismissals.first(where: { $0.match == match })
        {
            let report = ActivityDismissedRequest(deviceId: device, activityId: dismissal.activity)
            // Refused: the backend knows neither match nor phone, and there is nothing to unfollow.
            let response = try await answer { [api] () throws(APIError) in
                try await api.reportDismissal(report, match: match)
            }
            guard starts == start else { return false }
            book.answered(dismissal, isFollowing: response?.following ?? true)
        } else {
            // A follow that is about to be sent takes the rest with it.
            return false
        }
        save()
        return true
    }

    /// - Returns: nil when the backend refuses it for good.
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
        let asked = book.revision
        do throws(APIError) {
            let server = Set(try await api.follows().map(\.matchId))
            guard outbox != nil else { return .failure(.superseded) }
            let changes = book.reconcile(with: server, asked: asked)
            save()
            if changes != FollowChanges() { await changed(changes) }
            return .success(changes)
        } catch { return .failure(error) }
    }

    public func syncSoon() async { await outbox?.put((), in: .sync) }

    public func retryNow() async { await outbox?.hurry() }

    public func sendPending(within limit: Duration) async {
        guard let outbox, !book.waiting.isEmpty else { return }
        _ = await finished(within: limit, clock) { await outbox.finish() }
    }

    public func followedElsewhere(_ match: MatchID) async -> Bool {
        let elsewhere = book.followedElsewhere(match)
        guard elsewhere == .new else { return elsewhere == .known }
        save()
        await syncSoon()
        return true
    }

    public func followedMatchIds() -> Set<MatchID> { book.followed }

    public func pendingUnfollows() -> Set<MatchID> { book.pendingUnfollows }

    public func pendingDismissals() -> Set<MatchID> { Set(book.pendingDismissals.map(\.match)) }

    // MARK: - The bell

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

    private func publish() {
        let bells = book.bells
        if bells != bellBroadcast.latest { bellBroadcast.send(bells) }
    }

    /// What ends after a stop is not written: somebody else may have the followStore by then.
    private func save() {
        if outbox != nil, let user { followStore.keep(book, of: user) }
        publish()
    }

    // MARK: - Ends

    public func forgetUser() {
        followStore.leave()
        user = nil
        book = FollowBook()
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
