/// APNs' word that a push token is dead (410 `Unregistered` or `ExpiredToken`, 400 `BadDeviceToken`).
public enum DeadTokenRule {
    /// Until the next start to a token that is said to be dead since before it was registered.
    public static let disbeliefWait = Duration.seconds(60)

    /// Whether it is about the token as it is registered now: a word older than the registration is about an earlier life of
    /// the token, and changes nothing however often it is said. A phone that registers a token which died before gets nothing
    /// until it registers another; each push to it says so again, ever more rarely.
    /// - Parameter since: APNs' own time; nil when it gave none.
    public static func isAbout(registered: Moment?, since: Moment?) -> Bool {
        guard let registered, let since else { return true }
        return registered <= since
    }
}
