import Cricket
package import SportMonks

/// The time until the next poll, by the content of the last answer.
public struct PollSchedule: Sendable {
    public var usual: Duration
    public var marquee: Duration
    public var suspended: Duration
    public var marqueeLeagues: Set<Int64>

    /// The interval while play may go on at a moment that nobody knows.
    static let waiting = Duration.seconds(10)
    /// The longest time to the second look at a new status, after which it is told.
    static let secondLook = Duration.seconds(5)

    package init(usual: Duration, marquee: Duration, suspended: Duration, marqueeLeagues: Set<Int64>) {
        self.usual = usual
        self.marquee = marquee
        self.suspended = suspended
        self.marqueeLeagues = marqueeLeagues
    }

    /// The interval until the next poll: that of the match in which something can begin soonest.
    ///
    /// - Parameters:
    ///   - fixtures: the last answer.
    ///   - before: the answer before it; nil when there was none. A status that it did not have is looked at again
    ///     soon, because one answer alone tells nothing.
    ///   - startsSoon: whether a match of the schedule is about to begin, which may not be listed yet.
    ///   - now: seconds since 1970.
    package func interval(
        after fixtures: [SlimFixture], before: [SlimFixture]?, startsSoon: Bool, at now: Int
    ) -> Duration {
        var interval = fixtures.compactMap { self.interval($0, at: now) }.min() ?? usual
        if startsSoon { interval = min(interval, usual) }
        return Self.hasNewStatus(fixtures, since: before) ? min(interval, Self.secondLook) : interval
    }

    private func interval(_ fixture: SlimFixture, at now: Int) -> Duration? {
        switch MatchPace(fixture, at: now) {
        case nil: nil
        case .play: marqueeLeagues.contains(fixture.leagueID ?? 0) ? min(marquee, usual) : usual
        case .waiting: max(usual, min(Self.waiting, suspended))
        case .rest: max(usual, suspended)
        }
    }

    /// Whether the status of a match is not that of the answer before.
    static func hasNewStatus(_ fixtures: [SlimFixture], since before: [SlimFixture]?) -> Bool {
        guard let before else { return true }
        let known = Dictionary(before.map { ($0.id, $0.status) }, uniquingKeysWith: { first, _ in first })
        return fixtures.contains { known[$0.id] != $0.status }
    }

    /// Whether the next ball of a match may come at any moment.
    static func isLive(_ fixtures: [SlimFixture], at now: Int) -> Bool {
        fixtures.contains { MatchPace($0, at: now) == .play }
    }
}
