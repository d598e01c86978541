import SightscreenModels

/// What the user follows as far as this phone knows: the last tap counts, until the backend says otherwise about
/// something that was not tapped since it was asked.
struct FollowBook: Equatable, Sendable {
    private(set) var followed: Set<MatchID>
    /// Unfollows that the backend has not confirmed.
    private(set) var pendingUnfollows: Set<MatchID>
    /// Follows that the backend has not answered.
    private(set) var pendingFollows: [MatchID: FollowRequest]
    /// Those of them whose caller went with an earlier process of the app: nobody else brings them to the backend.
    private(set) var interruptedFollows: Set<MatchID>
    /// Dismissals that the backend has not heard of, oldest first.
    private(set) var pendingDismissals: [PendingWish.Dismissal]
    private(set) var health: [MatchID: ActivityHealth] = [:]
    var showsActivities = true

    /// Counts what was learnt of matches: taps, and what a push or an answer said of one.
    private(set) var revision = 0
    /// When something was last learnt of each match; what an answer to a later question covers is forgotten.
    private var tapped: [MatchID: Int] = [:]

    /// - Parameter wishes: from an earlier process of the app, in order.
    init(followed: Set<MatchID> = [], wishes: [PendingWish] = []) {
        self.followed = followed
        pendingUnfollows = []
        pendingFollows = [:]
        interruptedFollows = []
        pendingDismissals = []
        for wish in wishes {
            switch wish {
            case .follow(let request):
                _ = follow(request)
                interruptedFollows.insert(request.matchId)
            case .unfollow(let match): _ = unfollow(match)
            case .dismissal(let dismissal): dismissed(dismissal)
            }
        }
    }

    /// What the backend has not answered, in the order in which it is to hear of it where that matters.
    var wishes: [PendingWish] {
        pendingUnfollows.sorted().map { .unfollow($0) }
            + pendingFollows.values.sorted { $0.matchId < $1.matchId }.map { .follow($0) }
            + pendingDismissals.map { .dismissal($0) }
    }

    /// Matches of which the backend has something to hear that no caller brings to it.
    var waiting: Set<MatchID> {
        pendingUnfollows.union(interruptedFollows).union(pendingDismissals.map(\.match))
    }

    // MARK: - Taps

    /// One tap of the user's.
    struct Tap: Hashable, Sendable {
        var match: MatchID
        var revision: Int
        var wasFollowed: Bool
        /// What the backend had not heard then, and need not hear if the tap takes effect.
        var replaced: [PendingWish]
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

    /// The user took an activity off the screen. While the backend has to hear of an unfollow it is nothing new.
    mutating func dismissed(_ dismissal: PendingWish.Dismissal) {
        guard !pendingUnfollows.contains(dismissal.match),
            !pendingDismissals.contains(where: { $0.activity == dismissal.activity })
        else { return }
        pendingDismissals.append(dismissal)
    }

    /// Nothing was tapped after it.
    func isLast(_ tap: Tap) -> Bool { tapped[tap.match] == tap.revision }

    mutating func followAnswered(_ tap: Tap, isFollowing: Bool) {
        guard isLast(tap) else { return }
        pendingFollows[tap.match] = nil
        interruptedFollows.remove(tap.match)
        if !isFollowing { followed.remove(tap.match) }
    }

    /// The backend did not take it: the bell goes back to what it was, and so does what the backend has to hear.
    mutating func followFailed(_ tap: Tap) {
        guard isLast(tap) else { return }
        followAnswered(tap, isFollowing: tap.wasFollowed)
        // Another one may have come since.
        let later = pendingDismissals.filter { $0.match == tap.match }
        pendingDismissals.removeAll { $0.match == tap.match }
        for wish in tap.replaced {
            switch wish {
            case .follow: break
            case .unfollow(let match): pendingUnfollows.insert(match)
            case .dismissal(let dismissal): dismissed(dismissal)
            }
        }
        for dismissal in later { dismissed(dismissal) }
    }

    /// The tap of a follow whose process has ended.
    func interruptedFollow(_ match: MatchID) -> (tap: Tap, request: FollowRequest)? {
        guard interruptedFollows.contains(match), let request = pendingFollows[match], let revision = tapped[match]
        else { return nil }
        return (Tap(match: match, revision: revision, wasFollowed: false, replaced: []), request)
    }

    /// The backend took an unfollow, or has nothing to unfollow.
    mutating func unfollowed(_ match: MatchID) {
        guard !followed.contains(match) else { return }
        pendingUnfollows.remove(match)
        leave(match)
    }

    private mutating func tap(_ match: MatchID) -> Tap {
        touch(match)
        return Tap(
            match: match, revision: revision, wasFollowed: followed.contains(match),
            replaced: wishes.filter { $0.match == match })
    }

    /// A new decision takes the place of all that were made before.
    private mutating func settle(_ match: MatchID) {
        pendingUnfollows.remove(match)
        pendingFollows[match] = nil
        interruptedFollows.remove(match)
        pendingDismissals.removeAll { $0.match == match }
    }

    // MARK: - What the backend says

    /// - Parameters:
    ///   - server: what the backend says is followed.
    ///   - asked: the revision when it was asked; what was tapped since is not judged by the answer.
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
        /// This phone follows it, too.
        case known
        case new
        /// This phone has just unfollowed it, or its user took the last activity away: the backend may not know.
        case unwanted
    }

    /// The backend started an activity: some phone of the user's follows the match.
    mutating func followedElsewhere(_ match: MatchID) -> Elsewhere {
        let isTakenAway = pendingDismissals.contains { $0.match == match && $0.isOnlyOne }
        if pendingUnfollows.contains(match) || isTakenAway && pendingFollows[match] == nil { return .unwanted }
        if followed.contains(match) { return .known }
        touch(match)
        followed.insert(match)
        return .new
    }

    /// The backend has heard of a dismissal, and may have taken it for an unfollow.
    mutating func answered(_ dismissal: PendingWish.Dismissal, isFollowing: Bool) {
        // The user has decided something else meanwhile.
        guard pendingDismissals.contains(dismissal) else { return }
        pendingDismissals.removeAll { $0 == dismissal }
        guard !isFollowing, pendingFollows[dismissal.match] == nil else { return }
        pendingDismissals.removeAll { $0.match == dismissal.match }
        followed.remove(dismissal.match)
        leave(dismissal.match)
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
        Bell(state(of: match), isPending: pendingFollows[match] != nil || pendingUnfollows.contains(match))
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
