/// The waiting periods and bounds of an activity's life.
public struct LifePolicy: Hashable, Sendable {
    public var starts = StartPolicy()
    public var fallback = StartFallback()
    public var renewal = RenewalRule()
    /// A start that has not arrived so long before the end of its lease is thrown away by APNs.
    public var startExpiryMargin = Duration.seconds(10)
    /// Longer than an end push can be under way.
    public var endLease = Duration.seconds(30)
    /// Nobody needs an end that is older: the system has removed the activity.
    public var endUsefulFor = Duration.seconds(4 * 3_600)
    /// How long a finished match stays on the Lock Screen (`DISMISS_AFTER`).
    public var dismissAfter = Duration.seconds(900)
    /// So long after its registration a token is dead when APNs still says so, whatever the time it gives: the phone
    /// registered it late, or again.
    public var disbeliefMax = Duration.seconds(600)
    /// Until the next start to a token that is not believed to be dead.
    public var disbeliefWait = Duration.seconds(60)

    public init() {}

    /// Whether APNs' word that a token is dead is about the token as it is registered now.
    ///
    /// A word that gives a time before the registration is about an earlier life of the token: an answer that was under
    /// way, or an APNs that has not heard of the new life yet. Neither lasts for minutes. A phone that registers late a
    /// token which died before gets that same answer to every push, for good: ten minutes after the registration it is
    /// no old word any more, but one that APNs says now, and to a push that left long after the registration. Were it
    /// never believed, the follower would have no activity and the token its pushes as long as the match goes on.
    public func isAbout(registered: Moment?, since: Moment?, _ now: Moment) -> Bool {
        guard let registered, let since else { return true }
        return registered <= since || registered + disbeliefMax <= now
    }
}
