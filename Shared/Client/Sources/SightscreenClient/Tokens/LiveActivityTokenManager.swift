public import SightscreenModels

/// Everything about push tokens: observing them, telling new from known, registering them with the backend.
///
/// It knows nothing of follows or of what activities show. What the backend says about a token goes to the handler.
public protocol LiveActivityTokenManager: Sendable {
    /// Begins to observe the push-to-start token and registers it, with this phone, once `register` was called.
    ///
    /// - Parameter handler: gets each event, and is waited for.
    func start(_ handler: @escaping @Sendable (TokenEvent) async -> Void) async

    /// Says what this phone is, allows and shows. A report that the backend has already is not sent again.
    func register(_ report: DeviceRegistration) async

    /// Sends phone and push-to-start token once more although they are known: the backend asked to hear from the app, or
    /// the app was opened, which lets it try starts again that it had given up.
    func registerAgain(_ report: DeviceRegistration) async

    /// Shows the backend that this phone is the signed-in user's, by the nonce of a silent push.
    func confirm(_ nonce: String) async

    /// Observes the activity's update token until `forget`, and registers each new one.
    func observe(_ activity: PhoneActivity) async

    /// The activity is over: its token is neither observed nor sent any more.
    func forget(_ activity: ActivityID) async

    /// The last update token that the backend took for an activity of the match.
    func lastSentToken(for match: MatchID) async -> UpdateToken?

    /// What waits for its next attempt goes now.
    func retryNow() async

    /// Nothing is observed or sent any more, and what was sent is forgotten.
    func stop() async
}

/// What the backend made of a token.
public enum TokenEvent: Hashable, Sendable {
    /// The activity gets every update from now on.
    case registered(ActivityID, MatchID)
    /// The activity or its match is over: an end is on its way to it.
    case overtaken(ActivityID, MatchID)
    /// The match is not followed, or not known: nobody updates this activity.
    case refused(ActivityID, MatchID)
    /// The backend cannot use the token, however often it is sent.
    case failed(ActivityID, MatchID, status: Int)
    /// It should not be on this phone: unfollowed or over elsewhere.
    case unwanted(ActivityID)
    /// Followed and in play, and its card is gone from this phone, perhaps by the user's hand: the backend starts no other
    /// until the user asks for it.
    case gone(MatchID)
}
