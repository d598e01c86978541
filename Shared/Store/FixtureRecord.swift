public import Cricket
public import SightscreenModels

/// One row of `fixtures`: a match of the schedule as the provider last told it.
public struct FixtureRecord: Sendable, Equatable {
    public var matchID: MatchID
    public var leagueID: Int64
    public var competition: String
    public var round: String
    public var format: MatchFormat
    /// The provider's word: "NS", "1st Innings", "Finished".
    public var status: String
    /// Seconds since 1970.
    public var startsAt: Int?
    public var home: Team
    public var away: Team
    public var venue: String
    public var note: String?
    public var winnerID: Int64?

    public init(
        matchID: MatchID, leagueID: Int64, competition: String, round: String, format: MatchFormat, status: String,
        startsAt: Int?, home: Team, away: Team, venue: String, note: String?, winnerID: Int64?
    ) {
        self.matchID = matchID
        self.leagueID = leagueID
        self.competition = competition
        self.round = round
        self.format = format
        self.status = status
        self.startsAt = startsAt
        self.home = home
        self.away = away
        self.venue = venue
        self.note = note
        self.winnerID = winnerID
    }
}
