import Cricket
import Detection
import SightscreenModels
import Testing

/// What is shown in every phase of every format.
@Suite struct DisplayPhaseTests {
    func shown(_ book: TestScorebook, result: String? = nil) -> ContentState {
        DisplayStateBuilder.contentState(of: book.snapshot, lastEvent: nil, result: result, previous: nil)
    }

    /// `balls` ones and dots in the first innings of `team`, then as many in the second.
    func book(first: Int = 120, second: String? = nil, format: MatchFormat = .twenty20) -> TestScorebook {
        var book = TestScorebook(format: format, overs: format == .firstClass ? nil : 20)
        book.startInnings(batting: 2)
        book.bowl(String(repeating: "1 ", count: first))
        if let second {
            book.startInnings(batting: 1)
            book.bowl(second)
        }
        return book
    }

    @Test func theTossIsTold() {
        var book = TestScorebook()
        book.snapshot.tossWinnerID = 2
        let state = shown(book)
        #expect(state.matchDisplayState == .scheduled)
        #expect(state.expanded.status == "Chennai Super Kings won the toss")
        book.snapshot.tossDecision = .bat
        #expect(shown(book).expanded.status == "Chennai Super Kings won the toss and chose to bat")
        #expect(state.compactTrailing == .init(overs: "0.0", runRate: "0.00"))
        #expect(state.expanded.batters.isEmpty && state.expanded.recentBalls.isEmpty && state.expanded.bowler == nil)
    }

    @Test func aLateStartHasItsReason() {
        var book = TestScorebook()
        book.snapshot.phase = .delayed
        #expect(shown(book).expanded.status == "Start delayed")
        book.snapshot.note = "Start delayed due to wet outfield"
        #expect(shown(book).expanded.status == "Start delayed: wet outfield")
        book.snapshot.note = "CSK won the toss and elected to bat"
        #expect(shown(book).expanded.status == "Start delayed")
    }

    @Test(arguments: [MatchPhase.interrupted, .lunch, .stumps(day: 1)])
    func aStopInAChaseKeepsWhoIsInAndWhatIsNeeded(phase: MatchPhase) {
        var book = book(second: "1 4")
        book.snapshot.phase = phase
        let state = shown(book).expanded
        #expect(state.target == "121" && state.equation == "MI need 116 off 118")
        #expect(state.batters.count == 2 && state.bowler != nil)
        #expect(state.status != nil)
    }

    @Test func aMatchThatIsOverShowsNobodyAtTheCrease() {
        var book = book(second: String(repeating: "6 ", count: 20) + "1")
        book.snapshot.phase = .finished
        for result in [nil, "Mumbai Indians won by 10 wickets"] {
            let state = shown(book, result: result)
            #expect(state.matchDisplayState == (result == nil ? .live : .completed))
            #expect(state.expanded.batters.isEmpty && state.expanded.bowler == nil)
            #expect(state.expanded.target == "121" && state.expanded.equation == nil)
            #expect(state.expanded.requiredRunRate == nil)
            #expect(state.expanded.status == result ?? "Awaiting the result")
        }
    }

    /// The provider has said that the match is over, and not yet who has won.
    @Test func whatIsKnownStaysUntilTheResult() {
        var book = book(second: String(repeating: "W ", count: 10))
        book.snapshot.phase = .finished
        let waiting = shown(book).expanded
        #expect(waiting.equation == "MI fall 120 short" && waiting.status == "Awaiting the result")
        #expect(shown(book, result: "Chennai Super Kings won by 120 runs").expanded.equation == nil)
        // By par, or of a torn frame: nothing is needed any more.
        book = self.book(second: "1 4")
        book.snapshot.phase = .finished
        #expect(shown(book).expanded.equation == nil && shown(book).expanded.target == "121")
    }

    @Test func theLastSideOfATestThatIsAllOutNeedsNoMore() {
        var book = TestScorebook(format: .firstClass, overs: nil)
        for (team, balls) in [(Int64(1), "6 6 6"), (2, "4"), (1, "1"), (2, String(repeating: "W ", count: 10))] {
            book.startInnings(batting: team)
            book.bowl(balls)
        }
        for phase in [MatchPhase.innings(4), .finished] {
            book.snapshot.phase = phase
            #expect(shown(book).expanded.equation == "CSK fall 15 short")
        }
    }

    @Test(arguments: [MatchPhase.abandoned, .cancelled])
    func anAbandonedMatchNeedsNothing(phase: MatchPhase) {
        var book = book(second: "1 4")
        book.snapshot.phase = phase
        let state = shown(book)
        #expect(state.matchDisplayState == .abandoned)
        #expect(state.expanded.target == nil && state.expanded.equation == nil && state.expanded.batters.isEmpty)
        #expect(state.expanded.innings.map(\.score) == ["120/0", "5/0"])
    }

    @Test func theLastBallOfAChaseSaysBall() {
        let state = shown(book(second: String(repeating: "1 ", count: 119))).expanded
        #expect(state.equation == "MI need 2 off 1")
        #expect(state.requiredRunRate == "12.00")
    }

    @Test func aSideThatIsAllOutIsCalledSo() {
        let state = shown(book(second: String(repeating: "W ", count: 10)))
        #expect(state.compactLeading.score == "0" && state.minimal?.score == "0")
        #expect(state.expanded.innings.last == .init(teamAbbr: "MI", score: "0", overs: "1.4", allOut: true))
        #expect(state.expanded.innings.first?.allOut == nil && state.expanded.innings.first?.score == "120/0")
        #expect(state.expanded.lastWicket == "Last111 0 (1) · 0 all out (1.4)")
        #expect(state.expanded.equation == "MI fall 120 short" && state.expanded.target == "121")
    }

    @Test func rainChangesTheTargetAndTheOvers() {
        var book = book(second: nil)
        book.snapshot.phase = .inningsBreak
        book.snapshot.revisedTarget = 71
        book.snapshot.revisedOvers = Overs(completed: 10, balls: 0)
        let before = shown(book).expanded
        #expect(before.target == "71" && before.equation == "MI need 71 off 60")
        #expect(before.requiredRunRate == "7.10")
        #expect(before.status == "Innings break")
    }

    @Test func oversThatRainLeftMayEndWithinOne() {
        var book = book(second: "1 1 1 1 1")
        book.snapshot.revisedTarget = 71
        book.snapshot.revisedOvers = Overs(completed: 8, balls: 3)
        #expect(shown(book).expanded.equation == "MI need 66 off 46")
    }

    /// Overs that the umpires ended after five or seven balls: what is left counts by overs.
    @Test func shortAndLongOversCountAsOvers() {
        var book = book(second: "1 1 1 1 1")
        book.snapshot.innings[1].overs = Overs(completed: 1, balls: 0)
        #expect(shown(book).expanded.equation == "MI need 116 off 114")
        book.snapshot.innings[1].overs = Overs(completed: 0, balls: 7)
        #expect(shown(book).expanded.equation == "MI need 116 off 113")
        #expect(shown(book).compactTrailing.overs == "0.7")
    }

    @Test func penaltyRunsAndAllRunFoursCount() {
        var book = book(second: "4")
        book.snapshot.innings[1].balls[0].isBoundary = false
        book.snapshot.innings[1].runs += 5
        let state = shown(book)
        #expect(state.compactLeading.score == "9/0")
        #expect(state.expanded.recentBalls == ["4"])
        #expect(state.expanded.equation == "MI need 112 off 119")
    }

    @Test func aDeclaredInningsKeepsItsWickets() {
        var book = TestScorebook(format: .firstClass, overs: nil)
        book.startInnings(batting: 1)
        book.bowl("4 4 W")
        book.startInnings(batting: 2)
        #expect(shown(book).expanded.innings.map(\.score) == ["8/1", "0/0"])
    }

    @Test func tiedTwentyOversLeadToASuperOver() {
        var book = book(second: String(repeating: "1 ", count: 120))
        book.snapshot.phase = .finished
        #expect(shown(book).expanded.status == "Scores level")
        book.snapshot.phase = .inningsBreak
        #expect(shown(book).expanded.status == "Super over to come")
        book.startInnings(batting: 1)
        book.bowl("6 1 W")
        var state = shown(book)
        #expect(state.expanded.status == "Super over" && state.expanded.equation == nil)
        #expect(state.compactLeading == .init(teamAbbr: "MI", score: "7/1"))
        book.snapshot.phase = .inningsBreak
        state = shown(book)
        #expect(state.expanded.target == "8" && state.expanded.equation == "CSK need 8 off 6")
        #expect(state.expanded.status == "Super over")
        book.startInnings(batting: 2)
        book.bowl("W W")
        // Two wickets end it.
        state = shown(book)
        #expect(state.expanded.equation == "CSK fall 7 short" && state.compactLeading.score == "0/2")
        for team in [Int64(2), 1] { book.startInnings(batting: team) }
        state = shown(book)
        #expect(state.expanded.status == "2nd super over")
        #expect(state.expanded.innings.count == 6 && state.expanded.equation == "MI need 1 off 6")
    }

    @Test func aSideThatFollowsOnIsSaidTo() {
        var book = TestScorebook(format: .firstClass, overs: nil)
        book.startInnings(batting: 1)
        book.bowl("6 6 6 6")
        book.startInnings(batting: 2)
        book.bowl("4")
        book.snapshot.phase = .stumps(day: 3)
        #expect(shown(book).expanded.status == "Day 3: Stumps")
        #expect(shown(book).expanded.equation == "CSK trail by 20")
        book.startInnings(batting: 2)
        book.bowl("4")
        #expect(shown(book).expanded.equation == "CSK follow on, trail by 16")
        book.bowl("6 6 6")
        #expect(shown(book).expanded.equation == "CSK lead by 2")
        // The other side bats last, and knows its target before it begins.
        book.snapshot.phase = .inningsBreak
        #expect(shown(book).expanded.target == "3")
        #expect(shown(book).expanded.equation == "MI need 3 to win")
        book.startInnings(batting: 1)
        book.bowl("1")
        #expect(shown(book).expanded.equation == "MI need 2 to win")
    }

    @Test func anInningsVictoryLeavesNothingToChase() {
        var book = TestScorebook(format: .firstClass, overs: nil)
        for (team, balls) in [(1, "6 6 6"), (2, "1"), (2, "1")] as [(Int64, String)] {
            book.startInnings(batting: team)
            book.bowl(balls)
        }
        book.snapshot.phase = .inningsBreak
        #expect(shown(book).expanded.target == nil)
    }

    @Test func withoutNamesThereIsStillAScorecard() {
        var book = book(second: "1 4")
        book.snapshot.players = [:]
        let state = shown(book).expanded
        #expect(state.batters.map(\.name) == ["Batter 1", "Batter 2"])
        #expect(state.bowler?.name == "Bowler")
    }
}
