import Activities

/// The waiting periods and bounds of an activity's life.
struct ModelPolicy: Hashable, Sendable {
    var starts = ModelStarts()
    var fallback = ModelFallbackRule()
    var renewal = ModelRenewal()
    /// Longer than an end push can be under way.
    var endLease = Duration.seconds(30)
    /// An end that is older is not tried again: the system has removed the activity.
    var endUsefulFor = Duration.seconds(4 * 3_600)
    /// How long a finished match stays on the Lock Screen (`DISMISS_AFTER`).
    var dismissAfter = Duration.seconds(900)
    /// Until the next start to a token that is not believed to be dead.
    var disbeliefWait = Duration.seconds(60)

    /// Whether APNs' word that a token is dead is about it as it is registered now.
    static func isAbout(registered: Moment?, since: Moment?) -> Bool {
        guard let registered, let since else { return true }
        return registered <= since
    }
}
