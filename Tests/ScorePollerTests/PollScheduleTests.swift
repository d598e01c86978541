import ServiceKit
import SportMonks
import Testing

@testable import ScorePoller

@Suite struct PollScheduleTests {
    let schedule = PollSchedule(
        usual: .seconds(5), marquee: .milliseconds(2_500), suspended: .seconds(60), marqueeLeagues: [1])

    private func fixture(_ status: String, league: Int64 = 3) -> SlimFixture {
        SlimFixture(
            id: 7, leagueID: league, home: SlimTeam(id: 1, name: "A", code: "A"),
            away: SlimTeam(id: 2, name: "B", code: "B"),
            status: status)
    }

    struct Case: Sendable {
        /// Status and league of each match.
        var matches: [(String, Int64)]
        var milliseconds: Int

        init(_ matches: [(String, Int64)], _ milliseconds: Int) {
            self.matches = matches
            self.milliseconds = milliseconds
        }
    }

    static let cases: [Case] = [
        Case([], 5_000),
        Case([("NS", 1)], 5_000),
        Case([("1st Innings", 3)], 5_000),
        Case([("1st Innings", 1)], 2_500),
        Case([("Int.", 1)], 60_000),
        Case([("Lunch", 3), ("Stump Day 2", 3), ("Tea Break", 1)], 60_000),
        Case([("Innings Break", 3)], 5_000),
        Case([("Innings Break", 1)], 2_500),
        Case([("Int.", 1), ("2nd Innings", 3)], 5_000),
        Case([("Int.", 3), ("Finished", 3), ("NS", 1)], 60_000),
        Case([("Drinks", 3)], 5_000),
        Case([("lunch break", 3), ("TEA", 3), ("Stumps Day 5", 3), ("interrupted", 1)], 60_000),
        Case([("Dinner Break", 3)], 60_000),
        Case([("cancelled", 3), ("Abandoned", 3), ("finished", 3), ("Postponed", 3), ("Not Started", 1)], 5_000),
        Case([("", 1)], 5_000),
        Case([("Something New", 1)], 2_500),
    ]

    @Test(arguments: cases) func pollsAsOftenAsTheMatchesMove(_ example: Case) {
        let fixtures = example.matches.map { fixture($0.0, league: $0.1) }
        #expect(schedule.interval(after: fixtures) == .milliseconds(example.milliseconds))
    }

    @Test func aMatchIsLiveWhenItsNextBallMayComeAtAnyMoment() {
        func isLive(_ statuses: String...) -> Bool { PollSchedule.isLive(statuses.map { fixture($0) }) }
        #expect(isLive("1st Innings") && isLive("Int.", "2nd Innings") && isLive("Innings Break"))
        #expect(!isLive() && !isLive("NS", "Finished") && !isLive("Lunch", "Int."))
    }

    @Test func readsGroups() throws {
        #expect(
            try PollGroup.parse("ipl=1;rest=3,5") == [
                PollGroup(name: "ipl", leagues: [1]), PollGroup(name: "rest", leagues: [3, 5]),
            ])
    }

    @Test(arguments: ["", "ipl", "ipl=", "=1", "a=1;a=2", "a=x", "a=1,,2", "a b=1", "a=-1"])
    func refusesMalformedGroups(_ text: String) {
        #expect(throws: ConfigurationError.self) { try PollGroup.parse(text) }
    }
}
