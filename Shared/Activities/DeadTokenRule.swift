/// The rule for APNs' word that a push token is dead (410 `Unregistered` or `ExpiredToken`, 400 `BadDeviceToken`).
public enum DeadTokenRule {
    /// The wait until the next start to a token that APNs calls dead since before it was registered.
    public static let disbeliefWait = Duration.seconds(60)

    /// Whether APNs' word is about the token as it is registered now. A word older than the registration is about an
    /// earlier life of the token, and changes nothing however often it is repeated. A phone that registers a token
    /// which died before gets nothing until it registers another; each push to the token gets the same answer, at ever
    /// longer intervals.
    /// - Parameter since: APNs' own time; nil when it gave none.
    public static func isAbout(registered: Moment?, since: Moment?) -> Bool {
        guard let registered, let since else { return true }
        return registered <= since
    }
}
