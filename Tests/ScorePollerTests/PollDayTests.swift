import SportMonks
import Testing

@testable import ScorePoller

/// The calls that a day of four matches costs, by the clock of production's settings. The page `operating.md` has the
/// sums.
@Suite struct PollDayTests {
    /// A status of a match from a minute of the day on.
    private typealias Part = (minute: Int, status: String)

    private static let midnight = 1_796_032_800 - 10 * 3_600
    private static func minute(_ hour: Int, _ minute: Int = 0) -> Int { hour * 60 + minute }

    /// The second day of a Test with rain after lunch, an ODI that begins late, two T20s, the last of a marquee league.
    private static let matches: [(league: Int64, starts: Int, parts: [Part])] = [
        (
            3, minute(10) - 24 * 60,
            [
                (0, "Stump Day 1"), (minute(10), "2nd Innings"), (minute(12), "Lunch"),
                (minute(12, 40), "2nd Innings"), (minute(13, 50), "Int."), (minute(15, 10), "2nd Innings"),
                (minute(15, 40), "Tea Break"), (minute(16), "3rd Innings"), (minute(18), "Stump Day 2"),
            ]
        ),
        (
            3, minute(9, 30),
            [
                (0, "NS"), (minute(9, 20), "Delayed"), (minute(10, 30), "1st Innings"),
                (minute(14), "Innings Break"), (minute(14, 30), "2nd Innings"), (minute(18), "Finished"),
            ]
        ),
        (3, minute(14), [(0, "NS"), (minute(14), "1st Innings"), (minute(17, 30), "Finished")]),
        (1, minute(19, 30), [(0, "NS"), (minute(19, 30), "1st Innings"), (minute(23, 10), "Finished")]),
    ]

    private func fixtures(at second: Int) -> [SlimFixture] {
        Self.matches.enumerated().map { number, match in
            let now = second / 60
            let status = match.parts.last { $0.minute <= now }?.status ?? "NS"
            // A ball a minute while play is on.
            let last = match.parts.enumerated().last {
                $0.element.status.hasSuffix("Innings") && $0.element.minute <= now
            }
            let lastBall = last.map { place, _ in
                place + 1 < match.parts.count ? min(match.parts[place + 1].minute, now) : now
            }
            return SlimFixture(
                id: Int64(number + 1), leagueID: match.league, home: SlimTeam(id: 1, name: "A", code: "A"),
                away: SlimTeam(id: 2, name: "B", code: "B"), startsAt: Self.midnight + match.starts * 60,
                status: status,
                // The day before, the Test ended at 18:00.
                balls: (lastBall ?? (number == 0 ? -6 * 60 : nil)).map { [.bowled(Self.midnight + $0 * 60)] } ?? [])
        }
    }

    @Test func aDayOfFourMatchesStaysWithinTheAllowance() {
        let schedule = PollSchedule(
            usual: .seconds(5), marquee: .milliseconds(2_500), suspended: .seconds(60), marqueeLeagues: [1])
        var calls = Array(repeating: 0, count: 24)
        var before: [SlimFixture]?
        var milliseconds = 0
        while milliseconds < 86_400_000 {
            let second = milliseconds / 1_000
            let answer = fixtures(at: second)
            calls[second / 3_600] += 1
            let startsSoon = zip(Self.matches, answer).contains { match, fixture in
                fixture.status == "NS" && (-60...40).contains(match.starts - second / 60)
            }
            let interval = schedule.interval(
                after: answer, before: before, startsSoon: startsSoon, at: Self.midnight + second)
            before = answer
            milliseconds += Int(interval / .milliseconds(1))
        }
        #expect(calls.max() == 1_440, "a marquee match")
        #expect(calls.allSatisfy { $0 <= 2_000 }, "\(calls)")
        #expect(calls[0] == 61 && calls[12] == 720 && calls[20] == 1_440, "\(calls)")
        #expect(calls.reduce(0, +) == 12_751, "\(calls)")
    }
}
