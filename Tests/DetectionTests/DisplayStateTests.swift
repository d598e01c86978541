import Cricket
import Detection
import FoundationEssentials
import SightscreenModels
import Testing

@Suite struct DisplayStateTests {
    func state(of book: TestScorebook, result: String? = nil) -> ContentState {
        DisplayStateBuilder.contentState(of: book.snapshot, lastEvent: nil, result: result, previous: nil)
    }

    @Test func beforePlayThereIsNoScoreAndNoInnings() {
        let state = state(of: TestScorebook())
        #expect(state.matchDisplayState == .scheduled)
        #expect(state.compactLeading == .init(teamAbbr: "MI", score: ""))
        #expect(state.expanded.innings.isEmpty)
        #expect(state.expanded.title == "MI v CSK")
        #expect(state.expanded.subtitle == "IPL · Match 12")
        #expect(state.expanded.status == nil)
    }

    @Test(arguments: [
        (MatchPhase.delayed, MatchDisplayState.scheduled, "Start delayed"),
        (.postponed, .scheduled, "Postponed"), (.cancelled, .abandoned, "Match cancelled"),
        (.lunch, .live, "Lunch"), (.tea, .live, "Tea"), (.dinner, .live, "Dinner"),
        (.stumps(day: 2), .live, "Day 2: Stumps"), (.interrupted, .suspended, "Play stopped"),
        (.inningsBreak, .inningsBreak, "Innings break"), (.abandoned, .abandoned, "Match abandoned"),
        (.finished, .live, "Awaiting the result"),
    ])
    func everyPhaseSaysWhatItIs(phase: MatchPhase, shown: MatchDisplayState, status: String) {
        var book = TestScorebook()
        book.startInnings(batting: 1)
        book.bowl("1 4")
        book.snapshot.phase = phase
        let state = state(of: book)
        #expect(state.matchDisplayState == shown)
        #expect(state.expanded.status == status)
    }

    @Test func aPhaseNobodyKnowsKeepsWhatWasShown() {
        var book = TestScorebook()
        book.startInnings(batting: 1)
        book.snapshot.phase = .unknown("Drinks")
        let state = DisplayStateBuilder.contentState(
            of: book.snapshot, lastEvent: nil, result: nil, previous: .suspended)
        #expect(state.matchDisplayState == .suspended)
    }

    @Test func rainThatTheProviderNamesIsNamed() {
        var book = TestScorebook()
        book.startInnings(batting: 1)
        book.snapshot.phase = .interrupted
        book.snapshot.note = "Rain stopped play"
        #expect(state(of: book).expanded.status == "Rain stopped play")
        book.snapshot.note = "Target 183 runs"
        #expect(state(of: book).expanded.status == "Play stopped")
    }

    /// Balls, and who is on strike afterwards: 1 and 2 open, 3 comes next.
    @Test(
        arguments: [
            ("", 101), ("•", 101), ("1", 102), ("2", 101), ("3", 102), ("4", 101), ("lb", 102), ("b 1", 101),
            ("wd", 101), ("nb", 101), ("W", 103), ("1 W", 103), ("• • • • • •", 102), ("• • • • • 1", 101),
            ("• • • • • W", 102), ("wd • • • • • •", 102),
        ] as [(String, Int64)])
    func theBatterWhoFacesNextIsOnStrike(balls: String, striker: Int64) {
        var book = TestScorebook()
        book.startInnings(batting: 1)
        book.bowl(balls)
        let batters = state(of: book).expanded.batters
        #expect(batters.count == 2)
        #expect(batters.filter(\.onStrike).map(\.name) == ["Last\(striker)"])
    }

    /// Who faces next depends on where the two were when the wicket was broken.
    @Test(arguments: [HowOut.runOut, .obstructingTheField], ["1 W", "• • • • • W"])
    func afterARunOutNobodyIsSaidToBeOnStrike(how: HowOut, balls: String) {
        var book = TestScorebook()
        book.startInnings(batting: 1)
        book.bowl(balls)
        let last = book.snapshot.innings[0].balls.count - 1
        book.snapshot.innings[0].balls[last].howOut = how
        #expect(state(of: book).expanded.batters.map(\.onStrike) == [false, false])
        book.bowl("1")
        #expect(state(of: book).expanded.batters.count(where: \.onStrike) == 1)
    }

    @Test func figuresAndRatesAreReadyStrings() {
        var book = TestScorebook()
        book.startInnings(batting: 1)
        book.bowl("1 4 6 • wd W lb nb")
        let state = state(of: book)
        #expect(state.compactLeading.score == "14/1")
        #expect(state.compactTrailing == .init(overs: "1.0", runRate: "14.00"))
        #expect(state.expanded.recentBalls == ["1", "4", "6", "•", "wd", "W", "lb", "|", "nb"])
    }

    @Test func theChaseSaysWhatIsNeeded() {
        var book = TestScorebook()
        book.startInnings(batting: 2)
        book.bowl(String(repeating: "1 ", count: 120))
        book.snapshot.phase = .inningsBreak
        let before = state(of: book).expanded
        #expect(before.target == "121")
        #expect(before.equation == "MI need 121 off 120")
        #expect(before.batters.isEmpty)
        book.startInnings(batting: 1)
        book.bowl("4 4 1")
        let chase = state(of: book).expanded
        #expect(chase.target == "121")
        #expect(chase.equation == "MI need 112 off 117")
        #expect(chase.requiredRunRate == "5.74")
        book.snapshot.revisedTarget = 60
        book.snapshot.revisedOvers = Overs(completed: 8, balls: 0)
        #expect(state(of: book).expanded.equation == "MI need 51 off 45")
    }

    @Test func aTestSaysWhoLeads() {
        var book = TestScorebook(format: .firstClass, overs: nil)
        book.startInnings(batting: 1)
        book.bowl("4 4")
        #expect(state(of: book).expanded.equation == nil)
        book.startInnings(batting: 2)
        book.bowl("4")
        #expect(state(of: book).expanded.equation == "CSK trail by 4")
        book.bowl("4")
        #expect(state(of: book).expanded.equation == "Scores level")
        book.bowl("6")
        #expect(state(of: book).expanded.equation == "CSK lead by 6")
        book.startInnings(batting: 1)
        book.bowl("6 6")
        book.startInnings(batting: 2)
        #expect(state(of: book).expanded.equation == "CSK need 7 to win")
        #expect(state(of: book).expanded.innings.map(\.score) == ["8/0", "14/0", "12/0", "0/0"])
    }

    @Test func aSuperOverIsAChaseOfItsOwn() {
        var book = TestScorebook()
        for team in [Int64(1), 2, 2] {
            book.startInnings(batting: team)
            book.bowl("1 1 1 1 1 1")
        }
        book.startInnings(batting: 1)
        book.bowl("1")
        let state = state(of: book)
        #expect(state.expanded.equation == "MI need 6 off 5")
        #expect(state.matchSentiment == .tense)
        #expect(Closeness(of: book.snapshot, isSettled: false).relevance == 100)
    }

    @Test func theCloserTheChaseTheMoreRelevant() {
        func relevance(_ firstInnings: String) -> Double {
            var book = TestScorebook()
            book.startInnings(batting: 2)
            book.bowl(firstInnings)
            book.startInnings(batting: 1)
            book.bowl(String(repeating: "1 ", count: 100))
            return Closeness(of: book.snapshot, isSettled: false).relevance
        }
        let close = relevance(String(repeating: "1 ", count: 120))
        let won = relevance(String(repeating: "1 ", count: 103))
        let lost = relevance(String(repeating: "4 ", count: 120))
        #expect(close > won)
        #expect(close > lost)
        #expect((0...100).contains(close))
    }

    @Test func theStateOfADesignedMomentIsAsWrittenDown() throws {
        var book = TestScorebook()
        book.startInnings(batting: 2)
        book.bowl("1 2 W 4 • 6")
        let state = DisplayStateBuilder.contentState(
            of: book.snapshot, lastEvent: .init(kind: .six, ball: "0.6", text: "Last203 hits six"), result: nil,
            previous: nil)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let json = String(decoding: try encoder.encode(state), as: UTF8.self)
        #expect(json == Self.golden)
    }

    static let golden =
        #"{"compactLeading":{"score":"13/1","teamAbbr":"CSK"},"compactTrailing":{"overs":"1.0","runRate":"13.00"},"#
        + #""expanded":{"batters":[{"name":"Last201","onStrike":true,"score":"1 (1)","strikeRate":"100.0"},"#
        + #"{"name":"Last203","onStrike":false,"score":"10 (3)","strikeRate":"333.3"}],"#
        + #""bowler":{"economy":"13.00","figures":"1.0-0-13-1","name":"Last111"},"#
        + #""innings":[{"overs":"1.0","score":"13/1","teamAbbr":"CSK"}],"#
        + #""lastEvent":{"ball":"0.6","kind":"six","text":"Last203 hits six"},"lastWicket":"Last202 2 (2) · 3/1 (0.3)","#
        + #""partnership":"10 (3)","recentBalls":["1","2","W","4","•","6","|"],"#
        + #""subtitle":"IPL · Match 12","title":"MI v CSK"},"#
        + #""matchDisplayState":"live","matchSentiment":"neutral","minimal":{"score":"13/1","teamAbbr":"CSK"},"#
        + #""schema":1,"version":0}"#
}
