import Cricket
package import SportMonks

/// How soon something of a match can begin, by its status and the time of its last ball.
package enum MatchPace: Int, Comparable, Sendable {
    /// The next ball may come at any moment.
    case play
    /// Rain, bad light, a late start, a day at whose stumps play may go on: nobody knows until when.
    case waiting
    /// Nothing can begin: an interval that has just begun, or the night.
    case rest

    package static func < (left: MatchPace, right: MatchPace) -> Bool { left.rawValue < right.rawValue }

    /// How long before the usual end of an interval its match is polled as in play.
    static let before = 5 * 60
    /// How long before the hour of its first day a match may go on in the morning: play begins up to half an hour early
    /// to make up for rain.
    static let morningBefore = 35 * 60
    /// The longest day of play, from `morningBefore`.
    static let dayLength = 10 * 3_600
    private static let day = 86_400

    /// - Parameters:
    ///   - fixture: the match as the provider has it.
    ///   - now: seconds since 1970.
    /// - Returns: nil for a match that is not on: it has not begun, or is over.
    package init?(_ fixture: SlimFixture, at now: Int) {
        switch fixture.phase {
        case .notStarted, .postponed, .cancelled, .finished, .abandoned, .unknown(""): return nil
        case .innings, .inningsBreak, .unknown: self = .play
        case .delayed, .interrupted: self = .waiting
        case .lunch, .dinner: self = Self.inInterval(fixture, minutes: 40, at: now)
        case .tea: self = Self.inInterval(fixture, minutes: 20, at: now)
        case .stumps: self = Self.atStumps(fixture, at: now)
        }
    }

    /// An interval begins with the last ball before it. One that was taken during rain began later, which only makes
    /// the polls come early.
    private static func inInterval(_ fixture: SlimFixture, minutes: Int, at now: Int) -> MatchPace {
        guard let last = lastBall(of: fixture, at: now) else { return .waiting }
        return now < last + minutes * 60 - before ? .rest : .play
    }

    /// The match goes on at about the hour of its first day, or later if it is wet; at night it does not.
    private static func atStumps(_ fixture: SlimFixture, at now: Int) -> MatchPace {
        guard let last = lastBall(of: fixture, at: now), let startsAt = fixture.startsAt else { return .waiting }
        let hour = startsAt - morningBefore
        // The first morning after the last ball.
        let morning = last + ((hour - last) % day + day) % day
        guard now >= morning else { return .rest }
        return (now - morning) % day < dayLength ? .waiting : .rest
    }

    /// When the newest ball was bowled; nil if the provider does not say, or its clock cannot be believed.
    private static func lastBall(of fixture: SlimFixture, at now: Int) -> Int? {
        guard let ball = fixture.balls.last, ball.updatedAt > 0, ball.updatedAt <= now + 60 else { return nil }
        return ball.updatedAt
    }
}
