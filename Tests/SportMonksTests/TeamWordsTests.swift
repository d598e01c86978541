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

    @Test(
        arguments: [
            (nil, "Team 41", nil, "Team 42", "T41 v T42"), (nil, "Team 4", nil, "Side 5", "T4 v S5"),
            ("IND", "India", "IND", "India A", "IND v IA"),
            (nil, "Mumbai Indians", nil, "Mumbai Islanders", "MIND v MISL"),
            ("ESS", "Essex", "ess", "Essex", "ESS1 v ess2"), ("PAK", "Pakistan", "SL", "Sri Lanka", "PAK v SL"),
            (nil, nil, nil, nil, "T1 v T2"),
        ] as [(String?, String?, String?, String?, String)])
    func twoSidesNeverHaveOneCode(
        _ code: String?, _ name: String?, _ other: String?, _ otherName: String?, shown: String
    )
        throws
    {
        let match = try SlimFixture(
            id: 7, home: SlimTeam(id: 1, name: name, code: code), away: SlimTeam(id: 2, name: otherName, code: other),
            status: "NS"
        ).snapshot()
        #expect("\(match.home.code) v \(match.away.code)" == shown)
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
