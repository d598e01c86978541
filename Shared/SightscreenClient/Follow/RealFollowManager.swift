public import Messages
public import Sightscreen

/// Follows and unfollows of one match never overlap on their way to the backend, which goes by the order in which they
/// arrive.
public actor RealFollowManager: FollowManager {
    private enum Slot: Hashable { case unfollow(MatchID), sync }

    private let api: SightscreenAPI
    private let shelf: FollowShelf
    private let clock: any ClientClock
    private let jitter: @Sendable () -> Double
    private var changed: @Sendable (FollowChanges) async -> Void = { _ in }
    private var book = FollowBook()
    private var outbox: Outbox<Slot, Void>?
    private var follows: [MatchID: Task<Result<FollowResponse, APIError>, Never>] = [:]
    private var syncing: Task<Result<FollowChanges, APIError>, Never>?
    private let bellBroadcast = Broadcast<[MatchID: Bell]>([:])

    public init(
        api: SightscreenAPI, store: any KeyValueStore, clock: any ClientClock,
        jitter: @escaping @Sendable () -> Double = { Double.random(in: 0...1) }
    ) {
        self.api = api
        shelf = FollowShelf(store: store)
        self.clock = clock
        self.jitter = jitter
    }

    public func start(user: UserID, _ changed: @escaping @Sendable (FollowChanges) async -> Void) async {
        guard outbox == nil else { return }
        self.changed = changed
        let showsActivities = book.showsActivities
        book = shelf.book(of: user)
        book.showsActivities = showsActivities
        let outbox = Outbox<Slot, Void>(clock: clock, jitter: jitter) { [weak self] slot, _ in
            await self?.deliver(slot) ?? .taken
        }
        self.outbox = outbox
        publish()
        for match in book.pendingUnfollows { await outbox.put((), in: .unfollow(match)) }
        await outbox.put((), in: .sync)
    }

    public func keptUser() -> UserID? {
        shelf.store.strings(forKey: FollowShelf.userKey)?.first.map { UserID($0) }
    }

    // MARK: - Taps

    public func follow(_ request: FollowRequest) async throws(APIError) -> FollowResponse {
        guard outbox != nil else { throw .signedOut }
        let match = request.matchId
        let tap = book.follow(match)
        save()
        // One after the other: an unfollow that is under way, and a follow.
        await outbox?.withdraw(.unfollow(match))
        await endOfFollow(match)
        guard book.isLast(tap) else { throw .superseded }
        guard outbox != nil else { throw .superseded }
        let call = Task { [api] () -> Result<FollowResponse, APIError> in
            do throws(APIError) { return .success(try await api.follow(request)) } catch { return .failure(error) }
        }
        follows[match] = call
        let result = await call.value
        if follows[match] == call { follows[match] = nil }
        switch result {
        case .success(let response): book.followAnswered(tap, isFollowing: response.following)
        case .failure(let error):
            book.followFailed(tap)
            // It may have taken effect after all.
            if case .transport = error { await syncSoon() }
        }
        save()
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
        await outbox?.put((), in: .unfollow(match))
    }

    // MARK: - The backend

    private func deliver(_ slot: Slot) async -> Outbox<Slot, Void>.Outcome {
        switch slot {
        case .unfollow(let match): return await deliverUnfollow(match)
        case .sync:
            do throws(APIError) {
                _ = try await sync()
                return .taken
            } catch { return error.passes ? .again(after: error.retryAfter) : .taken }
        }
    }

    private func deliverUnfollow(_ match: MatchID) async -> Outbox<Slot, Void>.Outcome {
        await endOfFollow(match)
        guard book.pendingUnfollows.contains(match) else { return .taken }
        do throws(APIError) { _ = try await api.unfollow(match) } catch {
            if error.passes { return .again(after: error.retryAfter) }
            // There is no such match: nothing is followed.
        }
        book.unfollowed(match)
        save()
        return .taken
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

    public func retryPendingUnfollows() async { await outbox?.hurry() }

    public func followedElsewhere(_ match: MatchID) async -> Bool {
        let elsewhere = book.followedElsewhere(match)
        guard elsewhere == .new else { return elsewhere == .known }
        save()
        await syncSoon()
        return true
    }

    public func unfollowedByDismissal(_ match: MatchID) {
        book.unfollowedByDismissal(match)
        save()
    }

    public func followedMatchIds() -> Set<MatchID> { book.followed }

    public func pendingUnfollows() -> Set<MatchID> { book.pendingUnfollows }

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

    /// What ends after a stop is not written: somebody else may have the shelf by then.
    private func save() {
        if outbox != nil { shelf.keep(book) }
        publish()
    }

    // MARK: - Ends

    public func forgetUser() {
        shelf.clear()
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
