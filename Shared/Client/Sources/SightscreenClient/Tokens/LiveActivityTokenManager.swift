public import SightscreenModels

/// Observes push tokens, tells new from known ones, and registers them with the backend. An activity that listens to a
/// broadcast channel has no token, and is reported instead.
///
/// It does not know follows or the content of activities. It reports the backend's answers to the handler.
public protocol LiveActivityTokenManager: Sendable {
    /// Begins to observe the push-to-start token. The token is registered together with this phone, once `register` was
    /// called.
    ///
    /// - Parameter handler: receives each event; the manager waits for it.
    func start(_ handler: @escaping @Sendable (TokenEvent) async -> Void) async

    /// Registers this phone with its permissions and activities. A report that the backend has already is not sent
    /// again.
    func register(_ report: DeviceRegistration) async

    /// Registers the phone and the push-to-start token again, although the backend has them: because the backend asked
    /// for it, or because the app was opened and the backend can try again the starts that it had given up.
    func registerAgain(_ report: DeviceRegistration) async

    /// Proves to the backend that this phone belongs to the signed-in user, with the nonce of a silent push.
    func confirm(_ nonce: String) async

    /// Observes the activity's update token until `forget`, and registers each new one; reports an activity on a
    /// channel once.
    func observe(_ activity: PhoneActivity) async

    /// Stops observing and sending the token, or the report, of an activity that is over.
    func forget(_ activity: ActivityID) async

    /// The last update token that the backend accepted for an activity of the match.
    func lastSentToken(for match: MatchID) async -> UpdateToken?

    /// Whether the backend has received the report of an activity on a channel.
    func isReported(_ activity: ActivityID) async -> Bool

    /// Reads the tokens that the system has now, and starts the waiting attempts.
    func retryNow() async

    /// Returns when no token, report or registration waits to be sent.
    func allSent() async

    /// Stops observing and sending, and forgets the sent tokens.
    func stop() async
}
/// The backend's answer to a token, or to the report of an activity on a channel.
public enum TokenEvent: Hashable, Sendable {
    /// The token or the report is registered, and the activity receives every update from now on.
    case registered(ActivityID, MatchID)
    /// The activity or its match is over, and an end push is on its way.
    case overtaken(ActivityID, MatchID)
    /// The match is not followed or not known, so the activity receives no updates.
    case refused(ActivityID, MatchID)
    /// The backend cannot use the token, however often it is sent.
    case failed(ActivityID, MatchID, status: Int)
    /// The activity should not be on this phone, because the match was unfollowed or ended elsewhere.
    case unwanted(ActivityID)
    /// The match is followed and in play, and its activity is gone from this phone, perhaps because the user removed
    /// it. The backend starts no other until the user asks for it.
    case gone(MatchID)
}
