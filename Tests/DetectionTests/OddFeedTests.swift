import Cricket
import Detection
import FoundationEssentials
import Replay
import SightscreenModels
import SportMonks
import TapeFile
import Tapes
import Testing

/// Feeds that were told wrongly once, with what is right: the alerts after the first answer, and the cards.
@Suite struct OddFeedTests {
    @Test(arguments: [
        // A chase that ends nine down is told with the first answer in which status, winner and note agree.
        ("nine-down", ["120: NMR won by 88 runs | NMR 260/5 (20.0) · SGT 172 (17.2)"]),
        (
            "late-penalty",
            [
                "80: SGT need 5 off the last over | SGT 124/9 (19.0)",
                "165: SGT 125 all out: Dunmore out for 1 | lbw b Lorimer 1 (2) · SGT fall 3 short",
                "280: SGT won by 2 runs | NMR 128 (19.3) · SGT 130 (19.2)",
            ]
        ),
        (
            "forfeited",
            [
                "45: SGT 84 all out: Dunmore out for 10 | c Lorimer b Penrow 10 (36) · SGT trail by 149",
                "200: NMR forfeit, SGT need 150 to win | NMR forfeit their second innings",
            ]
        ),
        (
            "hundred",
            [
                "5: NMR 163/5: Corven out for 72 | c Ellard b Inskip 72 (45) · Lorimer out for 9 · Kestle out for 25"
                    + " · Glenholt out for 35 · Ashdown out for 16 · and 2 more · 100 balls",
                "40: NMR finish on 163/5, SGT need 164 | Off 100 balls",
                "200: SGT 1/1: Maybury out for a duck | lbw b Penrow 0 (2) · SGT need 163 off 98",
            ]
        ),
        // One answer of a final status tells nobody.
        ("one-abandoned-answer", []),
        ("reserve-day", ["1350: Play stopped: SGT 211/5 | 46.1 overs", "68555: Play resumes: SGT 212/5 | 46.2 overs"]),
        ("retired-hurt", []),
        ("seven-runs", ["80: SGT 100 all out: Farrow out | c Varley b Rusden 0 (2) · SGT fall 82 short"]),
        ("no-ball-bowled", ["1470: NMR v SGT: match abandoned | Match abandoned without a ball bowled"]),
    ])
    func alertsSayWhatHappened(feed: String, right: [String]) throws {
        let told = try Self.play(feed).flatMap(\.alerts)
        #expect(told.prefix(right.count) == right[...])
        #expect(feed == "hundred" || told == right)
    }

    /// Sets of five balls: all is counted in balls, and rates stay per six.
    @Test func theHundredIsCountedInBalls() throws {
        let steps = try Self.play("hundred")
        let first = try #require(steps.first { $0.seconds == 120 }?.state.expanded)
        #expect(first.equation == "SGT need 164 off 99")
        #expect(first.innings.map(\.overs) == ["100", "1"])
        let last = try #require(steps.last?.state.expanded)
        #expect(last.innings.map(\.overs) == ["100", "98"])
        let alerts = steps.flatMap(\.alerts)
        #expect(alerts.contains { $0.contains("SGT need 7 off the last 5 balls | SGT 157/7 (95)") })
        #expect(alerts.contains { $0.hasSuffix("SGT won by 3 wickets | NMR 163/5 (100) · SGT 165/7 (98)") })
        #expect(!steps.contains { $0.alerts.contains { $0.contains(" overs") } })
    }

    @Test func aSideWithNobodyLeftToBatIsAllOut() throws {
        let last = try #require(try Self.play("nine-down").last?.state.expanded)
        #expect(last.innings.last?.score == "172")
        #expect(last.innings.last?.allOut == true)
        #expect(last.outcome?.text == "won by 88 runs")
    }

    @Test func penaltyRunsAfterTheLastBallWinWithoutAMargin() throws {
        for step in try Self.play("late-penalty") {
            #expect(step.state.expanded.status?.contains("0 wickets") != true)
        }
    }

    @Test func aForfeitedInningsIsOnNoCard() throws {
        let last = try #require(try Self.play("forfeited").last?.state.expanded)
        #expect(last.innings.map(\.score) == ["233", "84", "0/0"])
        #expect(last.innings.map(\.teamAbbr) == ["NMR", "SGT", "SGT"])
        #expect(last.equation == "SGT need 150 to win")
    }

    @Test func playThatIsAbandonedForTheDayIsNoResult() throws {
        for feed in ["one-abandoned-answer", "reserve-day"] {
            for step in try Self.play(feed) {
                #expect(step.state.matchDisplayState != .abandoned)
                #expect(step.state.expanded.outcome == nil)
            }
        }
    }

    @Test func aBatterWhoRetiresHurtLeavesTheCardAtOnce() throws {
        let steps = try Self.play("retired-hurt")
        let left = try #require(steps.first { $0.seconds == 80 }?.state.expanded)
        #expect(left.batters.map(\.name) == ["Lorimer"])
        #expect(left.lastEvent?.text == "Inskip retired hurt 20 (15)")
        let after = try #require(steps.last?.state.expanded)
        #expect(after.batters.map(\.name) == ["Lorimer", "Birkley"])
        #expect(after.lastEvent?.text == "Birkley comes in to bat")
        #expect(steps.allSatisfy { $0.state.expanded.lastWicket == nil })
    }

    @Test func sevenRunsOffABallAreSeven() throws {
        #expect(try Self.play("seven-runs")[1].state.expanded.recentBalls.last == "7")
    }

    @Test func theReasonOfADelayIsShown() throws {
        let steps = try Self.play("no-ball-bowled")
        #expect(steps.contains { $0.state.expanded.status == "Toss delayed: wet outfield" })
        #expect(steps.last?.state.expanded.status == "Match abandoned without a ball bowled")
        #expect(steps.last?.state.matchDisplayState == .abandoned)
    }

    @Test func aBowlOutIsNoSuperOver() throws {
        let match = try CricsheetMatch(json: Self.bytes("bowl-out.json"))
        let alerts = TapeReplay(Tape(match: match, id: 5)).flatMap { $0.changes.compactMap(\.alert) }
        #expect(alerts.last?.title == "NOR won the bowl-out")
        #expect(alerts.last?.body == "Match tied · NOR 12/0 (1.0) · SOU 12/0 (1.0)")
    }

    /// Cricsheet's format has The Hundred as a T20 with overs of five balls.
    @Test func theConverterKnowsTheHundred() throws {
        let text = String(decoding: try Self.bytes("bowl-out.json"), as: UTF8.self)
        let json = Array(text.replacing("\"balls_per_over\": 6", with: "\"balls_per_over\": 5").utf8)
        let tape = Tape(match: try CricsheetMatch(json: json), id: 5)
        let states = TapeReplay(tape).compactMap(\.state)
        #expect(states.last?.expanded.innings.map(\.overs) == ["6", "6"])
    }

    // MARK: - Playing

    struct Step {
        /// Seconds of the tape; of what time alone brings after the last answer, its.
        var seconds: Int64
        var state: ContentState
        /// "120: NMR won by 88 runs | NMR 260/5 (20.0)".
        var alerts: [String]
    }

    /// The frames of a feed; the alert of the first, which lumps what came before, is left out.
    static func play(_ feed: String) throws -> [Step] {
        let bytes = try bytes("\(feed).tape")
        let answers = try TapeFileReader(bytes: bytes)
        var times: [Int64] = []
        while let answer = try answers.next() { times.append(answer.atMs / 1_000) }
        let match = try #require(try RecordedReplay.matches(of: TapeFileReader(bytes: bytes)).first)
        var replay = RecordedReplay(try TapeFileReader(bytes: bytes), match: match)
        var steps: [Step] = []
        while let step = try replay.next() {
            guard let state = step.state else { continue }
            let seconds = times[step.frame - 1]
            let alerts = step.frame == 1 ? [] : step.changes.compactMap(\.alert)
            steps.append(
                Step(seconds: seconds, state: state, alerts: alerts.map { "\(seconds): \($0.title) | \($0.body)" }))
        }
        return steps
    }

    private static func bytes(_ name: String, path: String = #filePath) throws -> [UInt8] {
        let tests = path.split(separator: "/", omittingEmptySubsequences: false).dropLast(2).joined(separator: "/")
        return Array(try Data(contentsOf: URL(filePath: "\(tests)/Fixtures/feeds/\(name)")))
    }
}
