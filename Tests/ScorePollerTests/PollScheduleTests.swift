import ServiceKit
import SportMonks
import Testing

@testable import ScorePoller

@Suite struct PollScheduleTests {
    let schedule = PollSchedule(
        usual: .seconds(5), marquee: .milliseconds(2_500), suspended: .seconds(60), marqueeLeagues: [1])

    /// A day that begins at 10:00; its seconds are since 1970.
    private static let startsAt = 1_796_032_800
    private static func at(_ hour: Int, _ minute: Int = 0, day: Int = 0) -> Int {
        startsAt + (day * 24 + hour - 10) * 3_600 + minute * 60
    }

    private func fixture(_ status: String, id: Int64 = 7, league: Int64 = 3, lastBall: Int? = nil) -> SlimFixture {
        SlimFixture(
            id: id, leagueID: league, home: SlimTeam(id: 1, name: "A", code: "A"),
            away: SlimTeam(id: 2, name: "B", code: "B"), startsAt: Self.startsAt, status: status,
            balls: lastBall.map { [.bowled($0)] } ?? [])
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
        Case([("Int.", 1)], 10_000),
        Case([("Delayed", 1)], 10_000),
        // Without a ball nobody knows when the interval began.
        Case([("Lunch", 3), ("Stump Day 2", 3), ("Tea Break", 1)], 10_000),
        Case([("Innings Break", 3)], 5_000),
        Case([("Innings Break", 1)], 2_500),
        Case([("Int.", 1), ("2nd Innings", 3)], 5_000),
        Case([("Int.", 3), ("Finished", 3), ("NS", 1)], 10_000),
        Case([("Drinks", 3)], 5_000),
        Case([("lunch break", 3), ("TEA", 3), ("Stumps Day 5", 3), ("interrupted", 1)], 10_000),
        Case([("Dinner Break", 3)], 10_000),
        Case([("cancelled", 3), ("Abandoned", 3), ("finished", 3), ("Postponed", 3), ("Not Started", 1)], 5_000),
        Case([("", 1)], 5_000),
        Case([("Something New", 1)], 2_500),
    ]

    @Test(arguments: cases) func pollsAsOftenAsTheMatchesMove(_ example: Case) {
        let fixtures = example.matches.enumerated().map { number, match in
            fixture(match.0, id: Int64(number), league: match.1)
        }
        #expect(interval(fixtures) == .milliseconds(example.milliseconds))
    }

    private func interval(_ fixtures: [SlimFixture], startsSoon: Bool = false, at now: Int = startsAt) -> Duration {
        schedule.interval(after: fixtures, before: fixtures, startsSoon: startsSoon, at: now)
    }

    struct Rest: Sendable, CustomTestStringConvertible {
        var status: String
        var lastBall: Int
        var now: Int
        var seconds: Int

        init(_ status: String, _ lastBall: Int, _ now: Int, _ seconds: Int) {
            (self.status, self.lastBall, self.now, self.seconds) = (status, lastBall, now, seconds)
        }

        var testDescription: String { "\(status), \((now - lastBall) / 60) min after the last ball: \(seconds) s" }
    }

    @Test(arguments: [
        Rest("Lunch", at(12), at(12, 1), 60), Rest("Lunch", at(12), at(12, 34), 60),
        Rest("Lunch", at(12), at(12, 35), 5), Rest("Lunch", at(12), at(13, 30), 5),
        Rest("Tea Break", at(14, 40), at(14, 54), 60), Rest("Tea Break", at(14, 40), at(14, 55), 5),
        Rest("Dinner", at(19), at(19, 34), 60), Rest("Dinner", at(19), at(19, 35), 5),
        Rest("Int.", at(13), at(13, 1), 10), Rest("Int.", at(13), at(17), 10),
        Rest("Stump Day 1", at(17, 30), at(17, 31), 60), Rest("Stump Day 1", at(17, 30), at(9, 24, day: 1), 60),
        // Half an hour early, to make up for rain; and all of a wet day.
        Rest("Stump Day 1", at(17, 30), at(9, 25, day: 1), 10), Rest("Stump Day 1", at(17, 30), at(19, day: 1), 10),
        Rest("Stump Day 1", at(17, 30), at(20, day: 1), 60), Rest("Stump Day 2", at(17, 30), at(9, 30, day: 2), 10),
        // The provider's clock is ahead of ours by an hour.
        Rest("Lunch", at(13), at(12), 10), Rest("Stump Day 1", at(18), at(17), 10),
    ])
    func restsOnlyWhileNothingCanBegin(_ rest: Rest) {
        let fixture = fixture(rest.status, lastBall: rest.lastBall)
        #expect(interval([fixture], at: rest.now) == .seconds(rest.seconds))
    }

    @Test func aMatchThatIsAboutToBeginEndsTheRest() {
        let night = fixture("Stump Day 1", lastBall: Self.at(17, 30))
        #expect(interval([night], at: Self.at(18)) == .seconds(60))
        #expect(interval([night], startsSoon: true, at: Self.at(18)) == .seconds(5))
        #expect(interval([night, fixture("2nd Innings", id: 8)], at: Self.at(18)) == .seconds(5))
    }

    @Test func aNewStatusIsLookedAtAgainAfterFiveSeconds() {
        let lunch = fixture("Lunch", lastBall: Self.at(12))
        func interval(before: [SlimFixture]?) -> Duration {
            schedule.interval(after: [lunch], before: before, startsSoon: false, at: Self.at(12, 1))
        }
        #expect(interval(before: [fixture("1st Innings", lastBall: Self.at(12))]) == .seconds(5))
        #expect(interval(before: nil) == .seconds(5), "what came before the first answer is not known")
        #expect(interval(before: []) == .seconds(5))
        #expect(interval(before: [lunch]) == .seconds(60))
        #expect(interval(before: [lunch, fixture("Finished", id: 8)]) == .seconds(60))
    }

    @Test func aMatchIsLiveWhenItsNextBallMayComeAtAnyMoment() {
        func isLive(_ statuses: String...) -> Bool {
            PollSchedule.isLive(statuses.map { fixture($0) }, at: Self.startsAt)
        }
        #expect(isLive("1st Innings") && isLive("Int.", "2nd Innings") && isLive("Innings Break"))
        #expect(!isLive() && !isLive("NS", "Finished") && !isLive("Lunch", "Int."))
    }

    @Test func readsGroups() throws {
        #expect(
            try PollGroup.parse("ipl=1;rest=3,5") == [
                PollGroup(name: "ipl", leagues: [1]), PollGroup(name: "rest", leagues: [3, 5]),
            ])
    }

    @Test(arguments: ["", "ipl", "ipl=", "=1", "a=1;a=2", "a=x", "a=1,,2", "a b=1", "a=-1", "a=1,2;b=2", "a=1,1"])
    func refusesMalformedGroups(_ text: String) {
        #expect(throws: ConfigurationError.self) { try PollGroup.parse(text) }
    }
}

extension SlimBall {
    /// A ball of which only the time counts.
    static func bowled(_ updatedAt: Int) -> SlimBall {
        SlimBall(
            id: 1, innings: 1, over: 0, number: 1, teamID: 1, strikerID: 1, bowlerID: 2, score: 0,
            updatedAt: updatedAt)
    }
}
