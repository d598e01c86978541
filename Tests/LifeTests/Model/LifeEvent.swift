import Activities
import SightscreenModels

/// Whatever can happen to the activity of one match on one phone of one user. Every event may come twice, late, or not
/// at all.
enum LifeEvent: Hashable, Sendable {
    // The user and the phone.

    /// - Parameter startsLocally: the app on this very phone starts the activity itself.
    case followed(startsLocally: Bool)
    /// Here or on another phone of the user.
    case unfollowed
    case tokenReported(UpdateToken, activity: ActivityID?, start: StartID?)
    /// Somebody else registered that token: it is theirs now.
    case tokenTaken(UpdateToken)
    case dismissed(activity: ActivityID?, token: UpdateToken?)
    /// The app is awake.
    /// - Parameters:
    ///   - allows: the user lets it show Live Activities; nil when it does not say.
    ///   - cards: what it shows of this match; nil when it does not say.
    case appRegistered(allows: Bool?, cards: CardReport?)
    case startTokenReported(PushToStartToken)
    /// Unregistered.
    case phoneLost

    // APNs' answers.

    case startAnswered(StartID, to: PushToStartToken, StartAnswer)
    case updateAnswered(UpdateToken, UpdateAnswer)
    case endAnswered(UpdateToken, EndAnswer)

    // The match. Resuming is becoming live when it was suspended; reopening, when it was over.

    case matchBecame(LifePhase)

    // Time.

    /// The orchestrator looks at what should exist and what exists.
    case passDue
    /// A coordinator could send a start now, under this name.
    /// - Parameter sent: to this phone and user lately, for all matches together.
    case startDue(StartID, sent: ModelStarts.Sent)
    /// A coordinator could send ends now.
    case endDue
}

enum StartAnswer: Hashable, Sendable {
    case accepted
    /// Certainly not processed: it does not count.
    case notProcessed(retryAfter: Duration)
    /// Never to be accepted.
    case refused
    /// No answer, or one that says nothing.
    case unknown
    /// - Parameter since: APNs' own time; nil when it gave none.
    case tokenDead(since: Moment?)
}

enum UpdateAnswer: Hashable, Sendable {
    case accepted
    case unknown
    case tokenDead(since: Moment?)
}

enum EndAnswer: Hashable, Sendable {
    case accepted
    /// Not processed, or nobody knows: an end may be repeated.
    case retry(after: Duration)
    /// It did not leave: it is owed as before.
    case notSent
    /// It can never be delivered.
    case undeliverable
}
