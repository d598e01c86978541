import Cricket
import SightscreenModels
import Testing

@testable import SportMonks

/// What the provider says of the sides: codes, and who does what after the toss.
@Suite struct TeamWordsTests {
    @Test(arguments: [
        ("BGD", "Bangladesh", "BAN"), ("BGD", "Bangladesh Women", "BAN"), ("BAN", "Bangladesh", "BAN"),
        ("NZL", "New Zealand", "NZ"), ("PAK", "Pakistan", "PAK"), ("ARE", "Arendal", "ARE"),
    ])
    func aCountryHasTheCodeOfItsScorecards(code: String, name: String, shown: String) {
        #expect(CountryCode.code(code, of: name) == shown)
    }

    @Test func aCodeOrANameThatIsMissingIsLeftAlone() {
        #expect(CountryCode.code(nil, of: "Bangladesh") == nil)
        #expect(CountryCode.code("BGD", of: nil) == "BGD")
    }

    @Test(
        arguments: [("batting", .bat), ("bowling", .bowl), ("Fielding", .bowl), ("", nil), ("maybe", nil)]
            as [(String, TossDecision?)])
    func whatTheTossWinnerChoseIsCarried(elected: String, decision: TossDecision?) throws {
        let fixture = SlimFixture(
            id: 7, home: SlimTeam(id: 1, name: "A", code: "A"), away: SlimTeam(id: 2, name: "B", code: "B"),
            status: "NS", tossWonTeamID: 1, elected: elected)
        let snapshot = try fixture.snapshot()
        #expect(snapshot.tossDecision == decision)
        #expect(snapshot.tossWinnerID == 1)
    }
}
