import Activities
import SightscreenModels

/// What is to be done in the world, after the state that says so is committed.
enum LifeIntent: Hashable, Sendable {
    /// One push-to-start. No other may leave before the lease is over.
    case startPush(StartID, to: PushToStartToken, leaseUntil: Moment)
    /// The same, for the activity that takes over from one that iOS is about to end.
    case renewalPush(StartID, to: PushToStartToken, leaseUntil: Moment)
    case endPush(UpdateToken, EndDismissal)
    /// The newest state to this token, at once.
    case pushState(UpdateToken)
    /// Asks the app to reconcile: it registers anew, and says what it shows.
    case silentPush
    /// Asks the user to open the app.
    case visiblePush
    /// The user wants to hear no more of the match: on all phones.
    case unfollow
    /// APNs says that this push-to-start token is dead, for whatever match.
    case retireStartToken(PushToStartToken)
}

/// How long an ended activity may still be seen.
enum EndDismissal: Hashable, Sendable { case now, linger }

enum EndReason: String, Hashable, Sendable, CaseIterable {
    case matchEnd = "match_end"
    case unfollowed = "user_unfollow"
    case dismissed = "user_dismissed"
    case tokenInvalid = "token_invalid"
}
