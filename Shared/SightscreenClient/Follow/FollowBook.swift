import Sightscreen

/// What the user follows as far as this phone knows: the last tap counts, until the backend says otherwise about
/// something that was not tapped since it was asked.
struct FollowBook: Equatable, Sendable {
    private(set) var followed: Set<MatchID>
    /// Unfollows that the backend has not confirmed.
    private(set) var pendingUnfollows: Set<MatchID>
    /// Follows that the backend has not answered.
    private(set) var pendingFollows: Set<MatchID> = []
    private(set) var health: [MatchID: ActivityHealth] = [:]
    var showsActivities = true

    /// Counts what was learnt of matches: taps, and what a push or an answer said of one.
    private(set) var revision = 0
    /// When something was last learnt of each match; what an answer to a later question covers is forgotten.
    private var tapped: [MatchID: Int] = [:]

    init(followed: Set<MatchID> = [], pendingUnfollows: Set<MatchID> = []) {
        self.followed = followed.subtracting(pendingUnfollows)
        self.pendingUnfollows = pendingUnfollows
    }

    // MARK: - Taps

    /// One tap of the user's.
    struct Tap: Hashable, Sendable {
        var match: MatchID
        var revision: Int
        var wasFollowed: Bool
    }

    mutating func follow(_ match: MatchID) -> Tap {
        let tap = tap(match)
        followed.insert(match)
        pendingUnfollows.remove(match)
        pendingFollows.insert(match)
        return tap
    }

    mutating func unfollow(_ match: MatchID) -> Tap {
        let tap = tap(match)
        followed.remove(match)
        pendingFollows.remove(match)
        pendingUnfollows.insert(match)
        return tap
    }

    /// Nothing was tapped after it.
    func isLast(_ tap: Tap) -> Bool { tapped[tap.match] == tap.revision }

    mutating func followAnswered(_ tap: Tap, isFollowing: Bool) {
        guard isLast(tap) else { return }
        pendingFollows.remove(tap.match)
        if !isFollowing { followed.remove(tap.match) }
    }

    /// The backend did not take it: the bell goes back to what it was.
    mutating func followFailed(_ tap: Tap) { followAnswered(tap, isFollowing: tap.wasFollowed) }

    /// The backend took an unfollow, or has nothing to unfollow.
    mutating func unfollowed(_ match: MatchID) {
        guard !followed.contains(match) else { return }
        pendingUnfollows.remove(match)
        leave(match)
    }

    private mutating func tap(_ match: MatchID) -> Tap {
        touch(match)
        return Tap(match: match, revision: revision, wasFollowed: followed.contains(match))
    }

    // MARK: - What the backend says

    /// - Parameters:
    ///   - server: what the backend says is followed.
    ///   - asked: the revision when it was asked; what was tapped since is not judged by the answer.
    mutating func reconcile(with server: Set<MatchID>, asked: Int) -> FollowChanges {
        let unsettled = pendingUnfollows.union(pendingFollows).union(tapped.filter { $0.value > asked }.keys)
        let changes = FollowChanges(
            added: server.subtracting(followed).subtracting(unsettled),
            removed: followed.subtracting(server).subtracting(unsettled))
        followed.formUnion(changes.added)
        followed.subtract(changes.removed)
        for match in changes.removed { health[match] = nil }
        tapped = tapped.filter { $0.value > asked || pendingFollows.contains($0.key) }
        return changes
    }

    enum Elsewhere: Hashable, Sendable {
        /// This phone follows it, too.
        case known
        case new
        /// This phone has just unfollowed it.
        case unwanted
    }

    /// The backend started an activity: some phone of the user's follows the match.
    mutating func followedElsewhere(_ match: MatchID) -> Elsewhere {
        if pendingUnfollows.contains(match) { return .unwanted }
        if followed.contains(match) { return .known }
        touch(match)
        followed.insert(match)
        return .new
    }

    /// The backend took a dismissal for an unfollow.
    mutating func unfollowedByDismissal(_ match: MatchID) {
        guard !pendingFollows.contains(match) else { return }
        followed.remove(match)
        leave(match)
    }

    // MARK: - Bells

    mutating func set(_ health: ActivityHealth, for match: MatchID) {
        self.health[match] = health == .idle ? nil : health
    }

    /// The bells that are not empty or not at rest.
    var bells: [MatchID: Bell] {
        let matches = followed.union(pendingUnfollows)
        return Dictionary(uniqueKeysWithValues: matches.map { ($0, bell(for: $0)) })
    }

    func bell(for match: MatchID) -> Bell {
        Bell(state(of: match), isPending: pendingFollows.contains(match) || pendingUnfollows.contains(match))
    }

    private func state(of match: MatchID) -> BellState {
        guard followed.contains(match) else { return .empty }
        if !showsActivities { return .filledWithWarning }
        if case .failed = health[match] { return .filledWithWarning }
        return .filled
    }

    /// It is not followed any more, and an answer to an earlier question does not make it so.
    private mutating func leave(_ match: MatchID) {
        health[match] = nil
        touch(match)
    }

    private mutating func touch(_ match: MatchID) {
        revision += 1
        tapped[match] = revision
    }
}
