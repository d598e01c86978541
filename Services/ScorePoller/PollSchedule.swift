public import SportMonks

/// How long until the next poll, by what the last answer showed.
public struct PollSchedule: Sendable {
    public var usual: Duration
    public var marquee: Duration
    public var suspended: Duration
    public var marqueeLeagues: Set<Int64>

    public init(usual: Duration, marquee: Duration, suspended: Duration, marqueeLeagues: Set<Int64>) {
        self.usual = usual
        self.marquee = marquee
        self.suspended = suspended
        self.marqueeLeagues = marqueeLeagues
    }

    /// Shorter while a marquee league plays; long while every match that is on rests (rain, lunch, tea, dinner, stumps;
    /// an innings break is not a rest, the next ball may come at any moment).
    public func interval(after fixtures: [SlimFixture]) -> Duration {
        let on = fixtures.filter { Self.isOn($0.status) }
        if on.isEmpty { return usual }
        if on.allSatisfy({ Self.rests($0.status) }) { return max(suspended, usual) }
        let plays = on.contains { !Self.rests($0.status) && marqueeLeagues.contains($0.leagueID ?? 0) }
        return plays ? min(marquee, usual) : usual
    }

    /// Between the first ball and the result, by the provider's words.
    static func isOn(_ status: String) -> Bool {
        switch status {
        case "NS", "Delayed", "Postp.", "Cancl.", "Cancl", "Finished", "Aban.", "": false
        default: true
        }
    }

    static func rests(_ status: String) -> Bool {
        switch status {
        case "Int.", "Lunch", "Dinner", "Tea Break": true
        default: status.hasPrefix("Stump")
        }
    }
}
