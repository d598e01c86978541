/// The waiting periods and bounds of an activity's life.
public struct LifePolicy: Hashable, Sendable {
    public var starts = StartPolicy()
    public var fallback = StartFallback()
    public var renewal = RenewalRule()
    /// A start that has not arrived so long before the end of its lease is thrown away by APNs.
    public var startExpiryMargin = Duration.seconds(10)
    /// Longer than an end push can be under way.
    public var endLease = Duration.seconds(30)
    /// Nobody tries again with an end that is older: the system has removed the activity.
    public var endUsefulFor = Duration.seconds(4 * 3_600)
    /// How long a finished match stays on the Lock Screen (`DISMISS_AFTER`).
    public var dismissAfter = Duration.seconds(900)
    /// Until the next start to a token that is not believed to be dead.
    public var disbeliefWait = Duration.seconds(60)

    public init() {}

    /// Whether a verdict is about the token as it is registered now: one that is older than the registration is about an
    /// earlier life of it, and changes nothing however long it is said. A phone that registers a token which died before
    /// gets nothing until it registers another; each push to it says so again, ever more rarely.
    public static func isAbout(registered: Moment?, since: Moment?) -> Bool {
        guard let registered, let since else { return true }
        return registered <= since
    }
}
