import Cricket
public import SportMonks

/// The time until the next poll, by the content of the last answer.
public struct PollSchedule: Sendable {
    public var usual: Duration
    public var marquee: Duration
    public var suspended: Duration
    public var marqueeLeagues: Set<Int64>

    package init(usual: Duration, marquee: Duration, suspended: Duration, marqueeLeagues: Set<Int64>) {
        self.usual = usual
        self.marquee = marquee
        self.suspended = suspended
        self.marqueeLeagues = marqueeLeagues
    }

    /// The interval until the next poll: shorter while a marquee league plays, and long while every match in play rests
    /// (rain, lunch, tea, dinner, stumps). An innings break is no rest, since the next ball may come at any moment.
    public func interval(after fixtures: [SlimFixture]) -> Duration {
        let on = fixtures.filter { Self.isOn($0.phase) }
        if on.isEmpty { return usual }
        if on.allSatisfy({ Self.rests($0.phase) }) { return max(suspended, usual) }
        let plays = on.contains { !Self.rests($0.phase) && marqueeLeagues.contains($0.leagueID ?? 0) }
        return plays ? min(marquee, usual) : usual
    }

    /// Whether a match is on and does not rest: the next ball may come at any moment.
    static func isLive(_ fixtures: [SlimFixture]) -> Bool {
        fixtures.contains { isOn($0.phase) && !rests($0.phase) }
    }

    /// Whether the match is between its first ball and its result. An unknown status counts as play.
    static func isOn(_ phase: MatchPhase) -> Bool {
        switch phase {
        case .notStarted, .delayed, .postponed, .cancelled, .finished, .abandoned, .unknown(""): false
        case .innings, .inningsBreak, .lunch, .tea, .dinner, .stumps, .interrupted, .unknown: true
        }
    }

    static func rests(_ phase: MatchPhase) -> Bool {
        switch phase {
        case .interrupted, .lunch, .tea, .dinner, .stumps: true
        default: false
        }
    }
}
