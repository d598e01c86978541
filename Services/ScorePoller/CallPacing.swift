/// Spreads the calls that are left of an hour over what is left of it: polls become rarer rather than stop.
enum CallPacing {
    /// - Parameters:
    ///   - usual: what the schedule wants.
    ///   - left: calls left of the hour; nil without a limit.
    ///   - callers: how many poll groups share them.
    static func interval(usual: Duration, left: Int?, hourLeft: Duration, callers: Int) -> Duration {
        guard let left else { return usual }
        return max(usual, left > 0 ? hourLeft * max(callers, 1) / left : hourLeft)
    }
}
