import Cricket
@testable import Detection
import SightscreenModels
import Testing

/// Results that the runs and wickets of a scorecard do not show at once, each with its relatives.
@Suite struct OddResultTests {
    private typealias Judge = ResultJudgeTests

    // MARK: - Fewer than ten wickets

    /// The chase of 151 ends with so many wickets and balls left, and the provider calls the side in the field the
    /// winner by the very runs that are missing.
    @Test(arguments: [9, 8, 6, 3])
    func aChaseThatEndsShortOfBattersIsSettledAtOnce(wickets: Int) {
        let note = "Mumbai Indians won by 10 runs"
        #expect(
            ResultJudge.judge(Judge.match((150, 6), (140, wickets), overs: 17, winner: 100, note: note))
                == .settled(note))
    }

    @Test(
        arguments: [
            // Another margin, no margin, the other side, a note without a winner, a winner without a note.
            (100, "Mumbai Indians won by 12 runs"), (100, "Mumbai Indians won"),
            (200, "Chennai Super Kings won by 10 runs"),
            (nil, "Mumbai Indians won by 10 runs"), (100, nil),
        ] as [(Int64?, String?)])
    func otherwiseAChaseWithBallsLeftIsUndecided(winner: Int64?, note: String?) {
        let judged = ResultJudge.judge(Judge.match((150, 6), (140, 9), overs: 17, winner: winner, note: note))
        if case .settled(let text) = judged { Issue.record("settled: \(text)") }
    }

    @Test func aLongMatchMayEndShortOfBattersToo() {
        var match = Judge.match(phase: .finished)
        match.format = .firstClass
        match.scheduledOvers = nil
        let innings = { Judge.innings($0, team: $1, $2, overs: 60) }
        match.innings = [innings(1, 100, (400, 10)), innings(2, 200, (150, 10)), innings(3, 200, (190, 8))]
        match.winnerID = 100
        match.note = "Mumbai Indians won by an innings and 60 runs"
        #expect(ResultJudge.judge(match) == .settled("Mumbai Indians won by an innings and 60 runs"))
        match.innings = [
            innings(1, 100, (300, 10)), innings(2, 200, (200, 10)), innings(3, 100, (150, 9)),
            innings(4, 200, (190, 9)),
        ]
        match.note = "Mumbai Indians won by 60 runs"
        #expect(ResultJudge.judge(match) == .settled("Mumbai Indians won by 60 runs"))
    }

    @Test func aFirstInningsOfNineWicketsAndBallsLeftIsAllOut() throws {
        var book = TestScorebook()
        book.startInnings(batting: 1)
        book.bowl("W W W W W W W W W 1")
        book.snapshot.phase = .inningsBreak
        var played = Played(book.snapshot.id)
        played.take(book.snapshot, at: book.fetchedAt)
        #expect(played.state?.expanded.innings.first?.allOut == true)
        #expect(played.state?.expanded.innings.first?.score == "1")
        // In play it is not over yet, and where rain cut it short it was not all out.
        book.snapshot.phase = .innings(1)
        var inPlay = Played(book.snapshot.id)
        inPlay.take(book.snapshot, at: book.fetchedAt)
        #expect(inPlay.state?.expanded.innings.first?.score == "1/9")
        book.snapshot.phase = .inningsBreak
        book.snapshot.revisedTarget = 30
        var wet = Played(book.snapshot.id)
        wet.take(book.snapshot, at: book.fetchedAt)
        #expect(wet.state?.expanded.innings.first?.score == "1/9")
    }

    /// Seven wickets, one batter retired hurt and two absent: the one who is left cannot bat alone.
    @Test func anInningsEndsWithThoseWhoCannotBat() throws {
        var book = TestScorebook()
        book.startInnings(batting: 1)
        book.bowl("W W W W W W W 1")
        book.snapshot.phase = .inningsBreak
        let atCrease = try #require(book.snapshot.innings[0].batting.firstIndex { $0.dismissal == nil })
        book.snapshot.innings[0].batting[atCrease].absence = .retired
        for (player, isAllOut) in [(Int64(110), nil), (111, true)] as [(Int64, Bool?)] {
            book.snapshot.innings[0].batting.append(
                BattingLine(
                    playerID: player, runs: 0, ballsFaced: 0, fours: 0, sixes: 0, dismissal: nil, absence: .absent))
            var played = Played(book.snapshot.id)
            played.take(book.snapshot, at: book.fetchedAt)
            #expect(played.state?.expanded.innings.first?.allOut == isAllOut)
        }
    }

    // MARK: - Penalty runs

    @Test func aSideThatIsAllOutWinsByPenaltyRuns() {
        var match = Judge.match((128, 10), (130, 10), overs: 19)
        #expect(ResultJudge.judge(match) == .unsettled("Chennai Super Kings won by penalty runs"))
        match.winnerID = 200
        for note in ["Chennai Super Kings won by 2 runs", "CSK won", "Chennai Super Kings won by penalty runs"] {
            match.note = note
            #expect(ResultJudge.judge(match) == .settled(note))
        }
        match.note = "Mumbai Indians won by 2 runs"
        #expect(ResultJudge.judge(match) == .unsettled("Chennai Super Kings won by penalty runs"))
        match = Judge.match((128, 10), (129, 9), overs: 19)
        #expect(ResultJudge.judge(match) == .unsettled("Chennai Super Kings won by 1 wicket"))
    }

    @Test func penaltyRunsInTheFieldOnlyChangeTheMargin() {
        let match = Judge.match((133, 10), (125, 10), overs: 19, winner: 100, note: "Mumbai Indians won by 8 runs")
        #expect(ResultJudge.judge(match) == .settled("Mumbai Indians won by 8 runs"))
        #expect(ResultJudge.judge(Judge.match((128, 10), (128, 10), overs: 19)) == .awaitingSuperOver("Match tied"))
    }

    @Test func anAllOutSideOfALongMatchWinsByPenaltyRuns() {
        var match = Judge.match(phase: .finished)
        match.format = .firstClass
        match.scheduledOvers = nil
        match.innings = [(300, 10), (200, 10), (100, 10), (201, 10)].enumerated().map {
            Judge.innings($0 + 1, team: $0.isMultiple(of: 2) ? 100 : 200, $1, overs: 60)
        }
        #expect(ResultJudge.judge(match) == .unsettled("Chennai Super Kings won by penalty runs"))
    }

    // MARK: - Forfeited innings

    /// The third innings was forfeited and has no row.
    @Test func anInningsWithoutARowCountsAsPlayed() {
        var match = Judge.match(phase: .finished)
        match.format = .firstClass
        match.scheduledOvers = nil
        match.innings = [
            Judge.innings(1, team: 100, (233, 10), overs: 71), Judge.innings(2, team: 200, (84, 10), overs: 35),
            Judge.innings(4, team: 200, (150, 6), overs: 40),
        ]
        #expect(ResultJudge.judge(match) == .unsettled("Chennai Super Kings won by 4 wickets"))
    }

    @Test func bothSidesMayForfeitAnInnings() throws {
        var book = TestScorebook(format: .firstClass, overs: nil)
        book.startInnings(batting: 1)
        book.bowl("4 4 1")
        var played = Played(book.snapshot.id)
        played.take(book.snapshot, at: book.fetchedAt)
        // The row comes first, with the status of the break.
        book.startInnings(batting: 2)
        book.snapshot.phase = .inningsBreak
        check(played.take(book.snapshot, at: book.fetchedAt + 20_000)?.alert?.title == "MI declare on 9/0")
        book.startInnings(batting: 1)
        let forfeited = try required(played.take(book.snapshot, at: book.fetchedAt + 120_000))
        #expect(forfeited.events.contains { $0.text == "CSK forfeit their first innings" })
        check(forfeited.contentState.expanded.innings.map(\.teamAbbr) == ["MI", "MI"])
        #expect(!played.alerts.contains { $0.title.contains("0/0") })
    }

    @Test func theProvidersFollowOnIsReadInTheBreak() {
        var book = TestScorebook(format: .firstClass, overs: nil)
        book.startInnings(batting: 1)
        book.bowl("4 4 4 4 4 4")
        book.startInnings(batting: 2)
        book.bowl("W W W W W W W W W W")
        book.snapshot.phase = .inningsBreak
        var played = Played(book.snapshot.id)
        played.take(book.snapshot, at: book.fetchedAt)
        #expect(played.state?.expanded.equation == "CSK trail by 24")
        book.snapshot.followOn = true
        played.take(book.snapshot, at: book.fetchedAt + 60_000)
        #expect(played.state?.expanded.equation == "CSK follow on, trail by 24")
    }

    // MARK: - Abandoned

    @Test(
        arguments: [
            (MatchPhase.abandoned, "No result", nil), (.abandoned, nil, .noResult), (.cancelled, nil, nil),
            (.finished, "No result", nil), (.finished, nil, .noResult),
            (.abandoned, "Match called off due to rain", nil),
        ] as [(MatchPhase, String?, DrawnOutcome?)])
    func twoAnswersMakeAMatchWithoutAResult(phase: MatchPhase, note: String?, outcome: DrawnOutcome?) throws {
        for isConfirmed in [false, true] {
            var book = TestScorebook()
            book.startInnings(batting: 1)
            book.bowl("1 1")
            var played = Played(book.snapshot.id)
            played.take(book.snapshot, at: book.fetchedAt)
            let live = book.snapshot
            (book.snapshot.phase, book.snapshot.note, book.snapshot.outcome) = (phase, note, outcome)
            let at = book.fetchedAt + 60_000
            check(played.take(book.snapshot, at: at)?.isSettled != true)
            played.take(isConfirmed ? book.snapshot : live, at: at + 5_000)
            #expect(played.alerts.count { $0.kind == .matchResult } == (isConfirmed ? 1 : 0))
            #expect(!played.alerts.contains { $0.kind == .correction })
        }
    }

    @Test(arguments: [
        nil, "Rain", "Play abandoned, match will resume on the reserve day", "Match abandoned, to continue tomorrow",
    ])
    func aDayThatIsAbandonedIsNoResult(note: String?) {
        var book = TestScorebook()
        book.startInnings(batting: 1)
        book.bowl("1 1")
        var played = Played(book.snapshot.id)
        played.take(book.snapshot, at: book.fetchedAt)
        (book.snapshot.phase, book.snapshot.note) = (.abandoned, note)
        for answer in 1...20 { played.take(book.snapshot, at: book.fetchedAt + Int64(answer) * 3_600_000) }
        #expect(played.state?.matchDisplayState == .suspended)
        #expect(!played.changes.contains { $0.isSettled || $0.alert?.kind == .matchResult })
    }

    @Test func aMatchThatWasOffLongBeforeItsFirstFrameTellsNobody() {
        var book = TestScorebook()
        book.startInnings(batting: 1)
        book.bowl("1 1")
        (book.snapshot.phase, book.snapshot.note) = (.abandoned, "No result")
        var played = Played(book.snapshot.id)
        for answer in 0...2 { played.take(book.snapshot, at: book.fetchedAt + 3_600_000 + Int64(answer) * 5_000) }
        #expect(played.changes.last?.isSettled == true)
        #expect(played.alerts.isEmpty)
    }

    /// The first frame ever is of a match that is over, with a result that is agreed upon or not yet.
    @Test(
        arguments: [
            (10, true, 1), (600, true, 0), (10, false, 1), (600, false, 0),
        ])
    func theResultOfTheFirstFrameIsToldIfItIsFresh(age: Int, isAgreed: Bool, alerts: Int) {
        var book = TestScorebook(overs: 1)
        book.startInnings(batting: 1)
        book.bowl("1 1 1 1 1 1")
        book.startInnings(batting: 2)
        book.bowl("1 1 1 1 1 W")
        book.snapshot.phase = .finished
        let at = book.fetchedAt + Int64(age) * 1_000
        var played = Played(book.snapshot.id)
        if !isAgreed { played.take(book.snapshot, at: at) }
        (book.snapshot.winnerID, book.snapshot.note) = (1, "Mumbai Indians won by 1 run")
        for answer in Int64(1)...2 { played.take(book.snapshot, at: at + answer * 5_000) }
        #expect(played.alerts.count { $0.kind == .matchResult } == alerts)
        #expect(played.changes.last?.isSettled == true)
    }

    @Test func aResultThatTimeBringsIsNoNewsLongAfter() {
        var book = TestScorebook(overs: 1)
        book.startInnings(batting: 1)
        book.bowl("1 1 1 1 1 1")
        book.startInnings(batting: 2)
        book.bowl("1 1 1 1 1 W")
        book.snapshot.phase = .finished
        let at = book.fetchedAt + 3_600_000
        var played = Played(book.snapshot.id)
        played.take(book.snapshot, at: at)
        let change = played.machine.tick(now: at + 300_100)
        #expect(change?.isSettled == true)
        #expect(change?.alert == nil)
    }

    @Test(arguments: [
        ("Match abandoned without a ball bowled", "MI v CSK: match abandoned"),
        ("No result due to rain and a wet outfield", "MI v CSK: no result"),
        ("Match called off due to a waterlogged ground", "MI v CSK: match called off"),
        ("No result", "MI v CSK: no result"),
    ])
    func theTitleSaysThatThereIsNoResult(note: String, title: String) {
        var book = TestScorebook()
        book.startInnings(batting: 1)
        var played = Played(book.snapshot.id)
        played.take(book.snapshot, at: book.fetchedAt)
        (book.snapshot.phase, book.snapshot.note) = (.abandoned, note)
        for answer in Int64(1)...2 { played.take(book.snapshot, at: book.fetchedAt + answer * 5_000) }
        #expect(played.alerts.last?.title == title)
    }

    /// A title that says only "Correction" says nothing.
    @Test(arguments: EventKind.allCases)
    func everyCorrectionSaysWhatWasPutRight(kind: EventKind) {
        let old = CooldownFilter.Announced(
            key: "k", kind: kind, value: nil, innings: 1, player: nil, ball: nil, ballID: nil, isKey: nil, name: nil,
            isTakenBack: nil)
        let told = Correction.announcement(of: old, in: BallByBall().match, at: 0)
        #expect(told.words.titles.contains { $0.count > 15 && $0.count <= 34 })
    }
}
