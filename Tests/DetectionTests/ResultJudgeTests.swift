import Cricket
import Detection
import Testing

@Suite struct ResultJudgeTests {
    @Test func winnerNoteAndRunsThatAgreeSettleAResult() {
        let note = "Mumbai Indians won by 10 runs"
        #expect(ResultJudge.judge(Self.match((150, 6), (140, 8), winner: 100, note: note)) == .settled(note))
    }

    @Test(arguments: [
        ("CSK won by 4 wickets (With 0 ball remaining)", "CSK won by 4 wickets"),
        (
            "Chennai Super Kings won by 4 wickets (With 10 balls remaining)",
            "Chennai Super Kings won by 4 wickets with 10 balls left"
        ),
        ("Chennai won by 4 wickets (With 1 ball remaining)", "Chennai won by 4 wickets with 1 ball left"),
    ])
    func theNoteIsTidied(note: String, text: String) {
        #expect(ResultJudge.judge(Self.match((150, 6), (151, 6), winner: 200, note: note)) == .settled(text))
    }

    @Test(
        arguments: [
            // Finished before winner and note.
            (nil, nil), (nil, "Target 151 runs"), (100, nil), (nil, "Mumbai Indians won by 10 runs"),
            // The wrong winner, without or with a note, or a note that names the other.
            (200, nil), (200, "Chennai Super Kings won by 10 runs"), (200, "Mumbai Indians won by 10 runs"),
            (100, "Chennai Super Kings won by 10 runs"), (100, "Match tied"), (nil, "Match tied"), (nil, "No result"),
        ] as [(Int64?, String?)])
    func whatDoesNotAgreeWaitsAndTheRunsDecide(winner: Int64?, note: String?) {
        let outcome = ResultJudge.judge(Self.match((150, 6), (140, 8), winner: winner, note: note))
        #expect(outcome == .unsettled("Mumbai Indians won by 10 runs"))
    }

    @Test func aTieAwaitsItsSuperOver() {
        #expect(
            ResultJudge.judge(Self.match((150, 6), (150, 8), note: "Match tied")) == .awaitingSuperOver("Match tied"))
        #expect(ResultJudge.judge(Self.match((150, 6), (150, 8))) == .awaitingSuperOver("Match tied"))
    }

    @Test func aSuperOverDecidesATie() {
        let note = "Match tied (Mumbai Indians won the Super Over)"
        var match = Self.match((150, 6), (150, 8), (8, 1), (9, 0), winner: 100, note: note)
        #expect(ResultJudge.judge(match) == .settled(note))
        match.winnerID = 200
        #expect(ResultJudge.judge(match) == .unsettled(note))
        match.note = nil
        match.winnerID = nil
        #expect(ResultJudge.judge(match) == .unsettled(note))
    }

    @Test func rainRulesDecideWhereTheRunsCannot() {
        let note = "Chennai Super Kings won by 5 runs (DLS method)"
        var match = Self.match((150, 6), (90, 2), overs: 12, winner: 200, note: note)
        #expect(ResultJudge.judge(match) == .settled(note))
        // Without a word of the rule it waits, and what the provider says is announced.
        match.note = "Chennai Super Kings won by 5 runs"
        #expect(ResultJudge.judge(match) == .unsettled("Chennai Super Kings won by 5 runs"))
        match.note = nil
        #expect(ResultJudge.judge(match) == .unsettled("Chennai Super Kings won"))
        match = Self.match((150, 6), (95, 2), overs: 12, winner: 200, note: "CSK won by 8 wickets (D/L)")
        match.revisedTarget = 94
        #expect(ResultJudge.judge(match) == .settled("CSK won by 8 wickets (D/L)"))
    }

    /// 59 without loss when rain ends play, 56 being par: the note says so, with no word of a rule, and the runs make
    /// ten wickets of it.
    @Test func whereATargetWasRevisedTheNoteIsTheWord() {
        let note = "Chennai Super Kings won by 3 runs"
        var match = Self.match((150, 6), (59, 0), overs: 8, winner: 200, note: note)
        match.revisedTarget = 57
        match.revisedOvers = Overs(completed: 8, balls: 0)
        #expect(ResultJudge.judge(match) == .settled(note))
        // Winner and note have to agree on the side.
        match.winnerID = 100
        #expect(ResultJudge.judge(match) == .unsettled("Chennai Super Kings won by 10 wickets"))
        match.winnerID = 200
        match.note = nil
        #expect(ResultJudge.judge(match) == .unsettled("Chennai Super Kings won by 10 wickets"))
        // A target that was reached is won, whatever they say.
        match.winnerID = 100
        match.note = "Mumbai Indians won by 3 runs"
        #expect(ResultJudge.judge(match) == .unsettled("Chennai Super Kings won by 10 wickets"))
    }

    @Test func anInningsThatRainLeftWithBallsOverIsPlayedOutWithTheLastOfThem() {
        var match = Self.match((150, 6), (100, 4), winner: 100, note: "Mumbai Indians won by 19 runs")
        match.revisedTarget = 120
        match.revisedOvers = Overs(completed: 14, balls: 3)
        match.innings[1].overs = Overs(completed: 14, balls: 2)
        match.note = nil
        #expect(ResultJudge.judge(match) == .unsettled("Mumbai Indians won"))
        match.innings[1].overs = Overs(completed: 14, balls: 3)
        #expect(ResultJudge.judge(match) == .unsettled("Mumbai Indians won by 19 runs"))
    }

    @Test func matchesWithoutAWinner() {
        #expect(ResultJudge.judge(Self.match((150, 6), (9, 0), overs: 2, note: "No result")) == .settled("No result"))
        var match = Self.match((150, 6), phase: .abandoned)
        // A day's play that is given up has the same status.
        #expect(ResultJudge.judge(match) == .unsettled("Match abandoned"))
        match.outcome = .noResult
        #expect(ResultJudge.judge(match) == .settled("Match abandoned"))
        match.outcome = nil
        match.note = "Match abandoned due to rain"
        #expect(ResultJudge.judge(match) == .settled("Match abandoned due to rain"))
        match = Self.match((150, 6), phase: .finished)
        match.outcome = .noResult
        #expect(ResultJudge.judge(match) == .settled("No result"))
        #expect(ResultJudge.judge(Self.match(phase: .cancelled)) == .settled("Match cancelled"))
    }

    @Test(
        arguments: [
            ([(300, 10), (200, 10), (250, 10), (351, 8)], 200, "Chennai Super Kings won by 2 wickets"),
            ([(300, 10), (200, 10), (250, 10), (349, 10)], 100, "Mumbai Indians won by 1 run"),
            ([(446, 10), (74, 10), (147, 10)], 100, "Mumbai Indians won by an innings and 225 runs"),
            ([(300, 10), (200, 10), (250, 10), (300, 6)], nil, "Match drawn"),
            ([(300, 10), (200, 10), (250, 10), (350, 10)], nil, "Match tied"),
        ] as [([(Int, Int)], Int64?, String)])
    func longMatches(innings: [(Int, Int)], winner: Int64?, text: String) {
        var match = Self.match(phase: .finished)
        match.format = .firstClass
        match.scheduledOvers = nil
        match.innings = innings.enumerated().map { place, total in
            // The side that follows on bats twice in a row.
            let isHome = innings.count == 3 ? place == 0 : place.isMultiple(of: 2)
            return Self.innings(place + 1, team: isHome ? 100 : 200, total, overs: 80)
        }
        #expect(ResultJudge.judge(match) == .unsettled(text))
        match.winnerID = winner
        match.note = text
        #expect(ResultJudge.judge(match) == .settled(text))
    }

    static func match(
        _ totals: (Int, Int)..., overs: Int = 20, phase: MatchPhase = .finished, winner: Int64? = nil,
        note: String? = nil
    ) -> MatchSnapshot {
        var match = BallByBall(phase: phase).match
        // A super over is begun by the side that batted second.
        match.innings = totals.enumerated().map { place, total in
            innings(
                place + 1, team: [100, 200, 200, 100][place % 4], total, overs: place == 0 ? 20 : place > 1 ? 1 : overs)
        }
        match.winnerID = winner
        match.note = note
        return match
    }

    static func innings(_ number: Int, team: Int64, _ total: (Int, Int), overs: Int) -> Innings {
        Innings(
            number: number, battingTeamID: team, runs: total.0, wickets: total.1,
            overs: Overs(completed: overs, balls: 0),
            batting: [], bowling: [], balls: [])
    }
}
