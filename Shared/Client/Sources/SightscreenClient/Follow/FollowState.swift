import SightscreenModels

/// The user's follows as far as this phone knows. The last tap counts, until the backend answers a request that was
/// sent after it.
struct FollowState: Equatable, Sendable {
    private(set) var followed: Set<MatchID>
    /// Unfollows that the backend has not confirmed.
    private(set) var pendingUnfollows: Set<MatchID>
    /// Follows that the backend has not answered.
    private(set) var pendingFollows: [MatchID: FollowRequest]
    /// The pending follows from an earlier process of the app. Their callers are gone, so the manager sends them
    /// itself.
    private(set) var interruptedFollows: Set<MatchID>
    /// Dismissals that the backend has not confirmed, oldest first.
    private(set) var pendingDismissals: [PendingOperation.Dismissal]
    private(set) var health: [MatchID: ActivityHealth] = [:]
    var showsActivities = true

    /// Counts taps, and what a push or an answer said about one match.
    private(set) var revision = 0
    /// The revision of the last such event for each match. An entry is removed once the answer to a later request
    /// covers it.
    private var tapped: [MatchID: Int] = [:]

    /// - Parameters:
    ///   - followed: the stored follows.
    ///   - operations: the pending operations of an earlier process of the app, in order.
    init(followed: Set<MatchID> = [], operations: [PendingOperation] = []) {
        self.followed = followed
        pendingUnfollows = []
        pendingFollows = [:]
        interruptedFollows = []
        pendingDismissals = []
        for operation in operations {
            switch operation {
            case .follow(let request):
                _ = follow(request)
                interruptedFollows.insert(request.matchId)
            case .unfollow(let match): _ = unfollow(match)
            case .dismissal(let dismissal): dismissed(dismissal)
            }
        }
    }

    /// The operations that the backend has not answered, in the order in which it must receive them.
    var operations: [PendingOperation] {
        pendingUnfollows.sorted().map { .unfollow($0) }
            + pendingFollows.values.sorted { $0.matchId < $1.matchId }.map { .follow($0) }
            + pendingDismissals.map { .dismissal($0) }
    }

    /// The matches with pending operations that no caller sends.
    var waiting: Set<MatchID> {
        pendingUnfollows.union(interruptedFollows).union(pendingDismissals.map(\.match))
    }

    // MARK: - Taps
    /// One tap on a follow button.
    struct Tap: Hashable, Sendable {
        var match: MatchID
        var revision: Int
        var wasFollowed: Bool
        /// The operations that were pending at the tap. They need not be sent if the tap takes effect.
        var replaced: [PendingOperation]
    }

    mutating func follow(_ request: FollowRequest) -> Tap {
        let match = request.matchId
        let tap = tap(match)
        settle(match)
        followed.insert(match)
        pendingFollows[match] = request
        return tap
    }

    mutating func unfollow(_ match: MatchID) -> Tap {
        let tap = tap(match)
        settle(match)
        followed.remove(match)
        pendingUnfollows.insert(match)
        return tap
    }

    /// Records that the user removed an activity. While an unfollow is pending, that adds nothing.
    mutating func dismissed(_ dismissal: PendingOperation.Dismissal) {
        guard !pendingUnfollows.contains(dismissal.match),
            !pendingDismissals.contains(where: { $0.activity == dismissal.activity })
        else { return }
        pendingDismissals.append(dismissal)
    }

    /// Whether no tap followed this one.
    func isLast(_ tap: Tap) -> Bool { tapped[tap.match] == tap.revision }

    mutating func followAnswered(_ tap: Tap, isFollowing: Bool) {
        guard isLast(tap) else { return }
        pendingFollows[tap.match] = nil
        interruptedFollows.remove(tap.match)
        if !isFollowing { followed.remove(tap.match) }
    }

    /// Undoes a follow that the backend refused: the follow button and the pending operations return to their earlier
    /// state.
    mutating func followFailed(_ tap: Tap) {
        guard isLast(tap) else { return }
        followAnswered(tap, isFollowing: tap.wasFollowed)
        // Another dismissal may have come since.
        let later = pendingDismissals.filter { $0.match == tap.match }
        pendingDismissals.removeAll { $0.match == tap.match }
        for operation in tap.replaced {
            switch operation {
            case .follow: break
            case .unfollow(let match): pendingUnfollows.insert(match)
            case .dismissal(let dismissal): dismissed(dismissal)
            }
        }
        for dismissal in later { dismissed(dismissal) }
    }

    /// Returns the tap and the request of a follow from a process that has ended.
    func interruptedFollow(_ match: MatchID) -> (tap: Tap, request: FollowRequest)? {
        guard interruptedFollows.contains(match), let request = pendingFollows[match], let revision = tapped[match]
        else { return nil }
        return (Tap(match: match, revision: revision, wasFollowed: false, replaced: []), request)
    }

    /// Records that the backend accepted an unfollow, or has nothing to unfollow.
    mutating func unfollowed(_ match: MatchID) {
        guard !followed.contains(match) else { return }
        pendingUnfollows.remove(match)
        leave(match)
    }

    private mutating func tap(_ match: MatchID) -> Tap {
        touch(match)
        return Tap(
            match: match, revision: revision, wasFollowed: followed.contains(match),
            replaced: operations.filter { $0.match == match })
    }

    /// Removes all earlier pending operations of a match, because a new one replaces them.
    private mutating func settle(_ match: MatchID) {
        pendingUnfollows.remove(match)
        pendingFollows[match] = nil
        interruptedFollows.remove(match)
        pendingDismissals.removeAll { $0.match == match }
    }

    // MARK: - Answers of the backend

    /// Reconciles the follows with the backend's. A tap since the request counts more than its answer.
    ///
    /// - Parameters:
    ///   - server: the matches that the backend reports as followed.
    ///   - asked: the revision at which the backend was asked.
    mutating func reconcile(with server: Set<MatchID>, asked: Int) -> FollowChanges {
        let unsettled = pendingUnfollows.union(pendingFollows.keys).union(tapped.filter { $0.value > asked }.keys)
        let changes = FollowChanges(
            added: server.subtracting(followed).subtracting(unsettled),
            removed: followed.subtracting(server).subtracting(unsettled))
        followed.formUnion(changes.added)
        followed.subtract(changes.removed)
        for match in changes.removed { health[match] = nil }
        tapped = tapped.filter { $0.value > asked || pendingFollows[$0.key] != nil }
        return changes
    }

    enum Elsewhere: Hashable, Sendable {
        /// This phone follows the match, too.
        case known
        case new
        /// This phone has just unfollowed the match, or its user removed the last activity, and the backend may not
        /// know it yet.
        case unwanted
    }

    /// Records that the backend started an activity, because a phone of the user follows the match.
    mutating func followedElsewhere(_ match: MatchID) -> Elsewhere {
        let isTakenAway = pendingDismissals.contains { $0.match == match && $0.isOnlyOne }
        if pendingUnfollows.contains(match) || isTakenAway && pendingFollows[match] == nil { return .unwanted }
        if followed.contains(match) { return .known }
        touch(match)
        followed.insert(match)
        return .new
    }

    /// Records that the backend received a dismissal, which it may have taken for an unfollow.
    mutating func answered(_ dismissal: PendingOperation.Dismissal, isFollowing: Bool) {
        // The user has tapped meanwhile.
        guard pendingDismissals.contains(dismissal) else { return }
        pendingDismissals.removeAll { $0 == dismissal }
        guard !isFollowing, pendingFollows[dismissal.match] == nil else { return }
        pendingDismissals.removeAll { $0.match == dismissal.match }
        followed.remove(dismissal.match)
        leave(dismissal.match)
    }

    // MARK: - Follow buttons

    mutating func set(_ health: ActivityHealth, for match: MatchID) {
        self.health[match] = health == .idle ? nil : health
    }

    /// The follow buttons that are filled or pending.
    var followButtons: [MatchID: FollowButton] {
        let matches = followed.union(pendingUnfollows)
        return Dictionary(uniqueKeysWithValues: matches.map { ($0, followButton(for: $0)) })
    }

    func followButton(for match: MatchID) -> FollowButton {
        let state = state(of: match)
        return FollowButton(
            state, isPending: pendingFollows[match] != nil || pendingUnfollows.contains(match),
            showsAgain: state == .filledWithWarning && showsActivities)
    }

    private func state(of match: MatchID) -> FollowButtonState {
        guard followed.contains(match) else { return .empty }
        if !showsActivities { return .filledWithWarning }
        if case .failed = health[match] { return .filledWithWarning }
        return .filled
    }

    /// Records that a match is no longer followed. The answer to an earlier request does not change that.
    private mutating func leave(_ match: MatchID) {
        health[match] = nil
        touch(match)
    }

    private mutating func touch(_ match: MatchID) {
        revision += 1
        tapped[match] = revision
    }
}
