/// The waiting periods of detection, all in milliseconds. Each is a setting of `event-bus`.
public struct MatchTiming: Sendable, Equatable {
    /// `RESULT_HOLD`: how long a `finished` without an agreeing result waits before the runs decide.
    public var resultHold: Int64
    /// `SUPER_OVER_WAIT`: how long a tie of limited overs waits for a super over.
    public var superOverWait: Int64
    /// `KEEPALIVE_INTERVAL`: the longest time in play or in a break without a new version.
    public var keepAlive: Int64
    /// `SILENCE_AFTER`: how long the provider may repeat a match in play.
    public var silenceAfter: Int64
    /// `ALERT_FRESHNESS`: the greatest age at which an event still alerts.
    public var alertFreshness: Int64
    /// How long an event that ends the match waits for the result, so that one ball makes one alert.
    public var resultWait: Int64
    /// The shortest time between two alerts that rain stops play, and between two that play resumes.
    public var rainInterval: Int64

    package init(
        resultHold: Int64 = 300_000, superOverWait: Int64 = 1_200_000, keepAlive: Int64 = 1_200_000,
        silenceAfter: Int64 = 7_200_000, alertFreshness: Int64 = 30_000, resultWait: Int64 = 5_000,
        rainInterval: Int64 = 1_200_000
    ) {
        self.resultHold = resultHold
        self.superOverWait = superOverWait
        self.keepAlive = keepAlive
        self.silenceAfter = silenceAfter
        self.alertFreshness = alertFreshness
        self.resultWait = resultWait
        self.rainInterval = rainInterval
    }
}
