package import Cricket
package import SightscreenModels

/// One row of `fixtures`: a match of the schedule as the provider last reported it.
package struct FixtureRecord: Sendable, Equatable {
    package var matchID: MatchID
    package var leagueID: Int64
    package var competition: String
    package var round: String
    package var format: MatchFormat
    /// The provider's word, for example "NS", "1st Innings" or "Finished".
    package var status: String
    /// The start in seconds since 1970; nil while the provider has none.
    package var startsAt: Int?
    package var home: Team
    package var away: Team
    package var venue: String
    package var note: String?
    package var winnerID: Int64?

    package init(
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
