package import SportMonks
import Store

extension FixtureRecord {
    /// A fixture of the schedule. Its sides may be open or the same team: a final of "TBC" and "TBC".
    package init(_ fixture: SlimFixture) {
        self.init(
            matchID: fixture.matchID, leagueID: fixture.leagueID ?? 0, competition: fixture.competition,
            round: fixture.round, format: fixture.format, status: fixture.status, startsAt: fixture.startsAt,
            home: fixture.home.named, away: fixture.away.named,
            venue: [fixture.venueName, fixture.venueCity].compactMap { $0 }.first { !$0.isEmpty } ?? "",
            note: fixture.note, winnerID: fixture.winnerTeamID)
    }
}
