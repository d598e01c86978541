import Messages
import Sightscreen

/// One `POST /matches/:id/activity-token`, as it waits for its batch.
struct ActivityTokenJob: Gatherable {
    enum ConflictKey: Hashable, Sendable {
        case user(UserID)
        case token(UpdateToken)
    }

    var request: ActivityTokenRequest
    var match: MatchID
    var user: UserID

    var conflictKeys: [ConflictKey] { [.user(user), .token(request.activityToken)] }
}
