import SightscreenModels

/// What a user has decided and the backend has not answered.
enum PendingWish: Codable, Hashable, Sendable {
    /// The app's process ended before there was an answer.
    case follow(FollowRequest)
    case unfollow(MatchID)
    case dismissal(Dismissal)

    /// The user took an activity off the screen.
    struct Dismissal: Codable, Hashable, Sendable {
        var match: MatchID
        var activity: ActivityID
        /// The phone showed no other one of the match, as it does while one takes over from the other.
        var isOnlyOne: Bool
    }

    var match: MatchID {
        switch self {
        case .follow(let request): request.matchId
        case .unfollow(let match): match
        case .dismissal(let dismissal): dismissal.match
        }
    }

    /// What remains of it when the phone is taken from the user. That ends what the backend knows of its activities: a
    /// dismissal says nothing after that, but the wish behind it was to follow no more.
    var afterSignOut: Self? {
        guard case .dismissal(let dismissal) = self else { return self }
        return dismissal.isOnlyOne ? .unfollow(dismissal.match) : nil
    }
}
