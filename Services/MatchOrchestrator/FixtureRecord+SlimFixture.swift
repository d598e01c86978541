import Cricket
import SightscreenModels
package import SportMonks
import Store

extension FixtureRecord {
    /// - Throws: `FrameError` for a fixture that cannot be a match.
    public init(_ fixture: SlimFixture) throws {
        let match = try fixture.snapshot()
        self.init(
            matchID: match.id, leagueID: fixture.leagueID ?? 0, competition: match.competition, round: match.round,
            format: match.format, status: fixture.status, startsAt: match.startsAt, home: match.home, away: match.away,
            venue: [fixture.venueName, fixture.venueCity].compactMap { $0 }.first { !$0.isEmpty } ?? "",
            note: match.note, winnerID: match.winnerID)
    }
}
