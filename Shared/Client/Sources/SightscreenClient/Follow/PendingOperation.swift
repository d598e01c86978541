import SightscreenModels
/// An operation of the user that the backend has not answered.
enum PendingOperation: Codable, Hashable, Sendable {
    /// A follow. It outlives the app's process, which may end before the answer.
    case follow(FollowRequest)
    case unfollow(MatchID)
    case dismissal(Dismissal)

    /// The removal of an activity by the user.
    struct Dismissal: Codable, Hashable, Sendable {
        var match: MatchID
        var activity: ActivityID
        /// Whether the phone showed no other activity of the match. It shows two while one replaces the other.
        var isOnlyOne: Bool
    }

    var match: MatchID {
        switch self {
        case .follow(let request): request.matchId
        case .unfollow(let match): match
        case .dismissal(let dismissal): dismissal.match
        }
    }

    /// The operation that remains after the phone is unregistered. The backend then no longer knows the phone's
    /// activities, so a dismissal has no meaning, but the user's intent was to unfollow.
    var afterSignOut: Self? {
        guard case .dismissal(let dismissal) = self else { return self }
        return dismissal.isOnlyOne ? .unfollow(dismissal.match) : nil
    }
}
