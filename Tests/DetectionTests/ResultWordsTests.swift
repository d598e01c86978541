import Cricket
import Detection
import Testing

/// Notes as the provider writes them, and near relatives.
@Suite struct ResultWordsTests {
    /// 151/6 in reply to 150/6: CSK (200) win by 4 wickets, whatever the words.
    @Test(arguments: [
        ("Chennai Super Kings won by 4 wickets", "Chennai Super Kings won by 4 wickets"),
        ("Chennai Super Kings won by 4 wkts", "Chennai Super Kings won by 4 wickets"),
        ("CSK won by 4 wickets (With 0 ball remaining)", "CSK won by 4 wickets"),
        ("CSK won by 4 wickets (with 2 balls left)", "CSK won by 4 wickets with 2 balls left"),
        ("csk beat Mumbai Indians by 4 wickets", "Csk beat Mumbai Indians by 4 wickets"),
        (
            "Chennai Super Kings won by 4 wickets (With 3 balls remaining) (D/L)",
            "Chennai Super Kings won by 4 wickets with 3 balls left (D/L)"
        ),
        ("Chennai Super Kings won by 4 wickets (D/L method)", "Chennai Super Kings won by 4 wickets (D/L method)"),
    ])
    func aWinByWicketsIsUnderstood(note: String, text: String) {
        let match = ResultJudgeTests.match((150, 6), (151, 6), winner: 200, note: note)
        #expect(ResultJudge.judge(match) == .settled(text))
    }

    /// The same match with a note that says something else: what the runs say waits for its time.
    @Test(arguments: [
        "Chennai Super Kings won by 5 wickets", "Chennai Super Kings won by 4 runs", "Mumbai Indians won by 4 wickets",
        "Match tied (Chennai Super Kings won the Super Over)", "Chennai Super Kings won the toss and elected to bat",
        "Target 151 runs", "Chennai Super Kings need 1 run", "Rain stopped play", "", "No result", "Match drawn",
    ])
    func wordsThatContradictTheRunsSettleNothing(note: String) {
        let match = ResultJudgeTests.match((150, 6), (151, 6), winner: 200, note: note)
        let outcome = ResultJudge.judge(match)
        #expect(outcome == .unsettled("Chennai Super Kings won by 4 wickets"))
    }

    @Test(arguments: ["Match tied", "Match Tied", "match tied", "Tie", "Match tied."])
    func aTieIsUnderstood(note: String) {
        let outcome = ResultJudge.judge(ResultJudgeTests.match((150, 6), (150, 6), note: note))
        #expect(outcome == .awaitingSuperOver(note.prefix(1).uppercased() + note.dropFirst()))
    }

    @Test func aBoundaryCountOrASecondSuperOverDecides() {
        let byBoundaries = "Match tied (Mumbai Indians won on boundary count)"
        var match = ResultJudgeTests.match(
            (241, 8), (241, 10), (15, 0), (15, 1), winner: 100, note: byBoundaries)
        #expect(ResultJudge.judge(match) == .settled(byBoundaries))
        let again = "Match tied (Chennai Super Kings won the Super Over)"
        // The sides take turns: CSK begin the first super over, MI the second.
        match = ResultJudgeTests.match(
            (176, 6), (176, 6), (5, 2), (5, 1), (11, 1), (15, 0), winner: 200, note: again)
        #expect(ResultJudge.judge(match) == .settled(again))
    }

    /// No ball, or too few, and a winner by word alone.
    @Test(
        arguments: [
            ("Mumbai Indians won by walkover", 100), ("Match awarded to Chennai Super Kings", 200),
            ("Chennai Super Kings conceded the match", 100), ("Mumbai Indians forfeited", 200),
            ("Mumbai Indians won by default", 100), ("CSK won (MI conceded)", 200),
        ] as [(String, Int64)])
    func aMatchThatIsGivenAwayIsWon(note: String, winner: Int64) {
        for match in [
            ResultJudgeTests.match(winner: winner, note: note),
            ResultJudgeTests.match((90, 3), winner: winner, note: note),
        ] {
            #expect(ResultJudge.judge(match) == .settled(note))
        }
        // Named the other way round, it waits.
        let other = ResultJudgeTests.match(winner: 300 - winner, note: note)
        #expect(ResultJudge.judge(other) != .settled(note))
    }

    @Test(arguments: [
        "No result", "Match abandoned", "Match abandoned without a ball bowled", "No Result (rain)",
        "Match called off due to rain", "Match Abandoned.",
    ])
    func aMatchWithoutResultHasNone(note: String) {
        for phase in [MatchPhase.finished, .abandoned] {
            for totals in [[], [(150, 6)], [(150, 6), (20, 1)]] as [[(Int, Int)]] {
                var match = ResultJudgeTests.match(phase: phase, note: note)
                match.innings = totals.enumerated().map {
                    ResultJudgeTests.innings($0 + 1, team: [100, 200][$0], $1, overs: $0 == 0 ? 20 : 3)
                }
                #expect(ResultJudge.judge(match) == .settled(note))
            }
        }
    }

    @Test(
        arguments: [
            (MatchPhase.abandoned, "Rain stopped play", "Match abandoned"),
            (.abandoned, "Target 151 runs", "Match abandoned"),
            (.cancelled, "Match cancelled due to rain", "Match cancelled due to rain"),
            (.cancelled, nil, "Match cancelled"),
            (.cancelled, "Toss delayed", "Match cancelled"),
        ] as [(MatchPhase, String?, String)])
    func whatIsNoResultIsNotAnnouncedAsOne(phase: MatchPhase, note: String?, text: String) {
        var match = ResultJudgeTests.match((90, 3), phase: phase, note: note)
        match.outcome = .noResult
        #expect(ResultJudge.judge(match) == .settled(text))
    }

    @Test func theProvidersOwnWordForNoResultDoesWithoutANote() {
        var match = ResultJudgeTests.match((90, 3), note: "Rain stopped play")
        match.outcome = .noResult
        #expect(ResultJudge.judge(match) == .settled("No result"))
    }

    @Test func aDrawIsADrawWhateverItSaysOfTheSeries() {
        for note in ["Match drawn", "match drawn", "Match drawn (India won the series 1-0)", "Drawn"] {
            var match = ResultJudgeTests.match((300, 10), (200, 10), note: note)
            match.format = .firstClass
            match.scheduledOvers = nil
            #expect(ResultJudge.judge(match) == .settled(note.prefix(1).uppercased() + note.dropFirst()))
        }
    }

    @Test func anInningsDefeatHasItsMargin() {
        var match = ResultJudgeTests.match((446, 10), (74, 10), (147, 10), winner: 100)
        match.format = .firstClass
        match.scheduledOvers = nil
        for (note, isRight) in [
            ("Mumbai Indians won by an innings and 225 runs", true), ("MI won by an innings & 225 runs", true),
            ("Mumbai Indians won by an innings and 25 runs", false), ("Mumbai Indians won by 225 runs", false),
        ] {
            match.note = note
            let right = ResultJudge.Outcome.unsettled("Mumbai Indians won by an innings and 225 runs")
            #expect(ResultJudge.judge(match) == (isRight ? .settled(note) : right))
        }
    }
}
