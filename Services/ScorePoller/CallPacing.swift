/// Spreads the remaining calls of an hour over the rest of it, so that polls become rarer rather than stop.
enum CallPacing {
    /// - Parameters:
    ///   - usual: the interval of the schedule.
    ///   - left: the calls left in the hour; nil without a limit.
    ///   - callers: the number of poll groups that share them.
    static func interval(usual: Duration, left: Int?, hourLeft: Duration, callers: Int) -> Duration {
        guard let left else { return usual }
        return max(usual, left > 0 ? hourLeft * max(callers, 1) / left : hourLeft)
    }
}
