public import Sightscreen

/// The attributes of an activity: what never changes while it lives. Strings but `startsAt`; sent with a start.
public struct LiveActivityAttributes: Codable, Hashable, Sendable {
    public var matchId: MatchID
    /// Names the push-to-start, so that the app can say which start made an activity.
    public var startId: StartID
    public var homeTeam: String
    public var homeAbbr: String
    public var homeTeamId: String
    public var awayTeam: String
    public var awayAbbr: String
    public var awayTeamId: String
    public var competition: String
    /// Seconds since 1970.
    public var startsAt: Int

    public init(
        matchID: MatchID, startID: StartID, home: Team, away: Team, competition: String, startsAt: Int
    ) {
        matchId = matchID
        startId = startID
        homeTeam = home.name
        homeAbbr = home.code
        homeTeamId = String(home.id)
        awayTeam = away.name
        awayAbbr = away.code
        awayTeamId = String(away.id)
        self.competition = competition
        self.startsAt = startsAt
    }
}
