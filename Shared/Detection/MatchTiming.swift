/// The waiting periods that detection obeys, all in milliseconds. Each is a setting of `event-bus`.
public struct MatchTiming: Sendable, Equatable {
    /// `RESULT_HOLD`: how long a `finished` without an agreeing result waits before the runs decide.
    public var resultHold: Int64
    /// `SUPER_OVER_WAIT`: how long a tie of limited overs waits for a super over.
    public var superOverWait: Int64
    /// `KEEPALIVE_INTERVAL`: the longest time in play or in a break without a new version.
    public var keepAlive: Int64
    /// `ALERT_FRESHNESS`: an older event alerts nobody.
    public var alertFreshness: Int64
    /// How long what ends a match waits for its result, so that one ball is one alert.
    public var resultWait: Int64
    /// Rain that stops play, and its end, are told no oftener.
    public var rainInterval: Int64

    public init(
        resultHold: Int64 = 300_000, superOverWait: Int64 = 1_200_000, keepAlive: Int64 = 1_200_000,
        alertFreshness: Int64 = 30_000, resultWait: Int64 = 5_000, rainInterval: Int64 = 1_200_000
    ) {
        self.resultHold = resultHold
        self.superOverWait = superOverWait
        self.keepAlive = keepAlive
        self.alertFreshness = alertFreshness
        self.resultWait = resultWait
        self.rainInterval = rainInterval
    }
}
