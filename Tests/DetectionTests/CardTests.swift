import Cricket
import Detection
import SightscreenModels
import Testing

/// What the card is told beside the score: the last wicket, the stand, the balls, names, the day.
@Suite struct CardTests {
    func shown(_ book: TestScorebook, result: String? = nil) -> ContentState.Expanded {
        DisplayStateBuilder.contentState(of: book.snapshot, lastEvent: nil, result: result, previous: nil).expanded
    }

    func book(_ balls: String, format: MatchFormat = .twenty20) -> TestScorebook {
        var book = TestScorebook(format: format, overs: format == .firstClass ? nil : 20)
        book.startInnings(batting: 1)
        book.bowl(balls)
        return book
    }

    // MARK: - The last wicket

    @Test func theLastWicketStaysUntilTheNextOfTheInnings() {
        var book = book("1 4 W 6 6 6 1 • • • •")
        #expect(shown(book).lastWicket == "Last102 4 (2) · 5/1 (0.3)")
        book.bowl("W")
        #expect(shown(book).lastWicket == "Last103 18 (8) · 24/2 (1.6)")
        book.snapshot.phase = .interrupted
        #expect(shown(book).lastWicket != nil)
        book.snapshot.phase = .inningsBreak
        #expect(shown(book).lastWicket == nil)
        book.startInnings(batting: 2)
        book.bowl("1")
        #expect(shown(book).lastWicket == nil)
    }

    @Test func aWicketThatNoBallShowsIsTheLastOne() {
        var book = book("1 4 W 1")
        book.snapshot.innings[0].wickets = 2
        book.snapshot.innings[0].batting[0].dismissal = Dismissal(how: .timedOut, bowlerID: nil, fielderID: nil)
        book.snapshot.innings[0].batting[0].fellOn = "0.4"
        book.snapshot.innings[0].batting[0].fellAt = 6
        #expect(shown(book).lastWicket == "Last101 1 (1) · 6/2 (0.4)")
        // Where nothing says when, the batter alone.
        book.snapshot.innings[0].balls = []
        book.snapshot.innings[0].batting[0].fellOn = nil
        book.snapshot.innings[0].batting[0].fellAt = nil
        #expect(shown(book).lastWicket == "Last102 4 (1)" || shown(book).lastWicket == "Last102 4 (2)")
    }

    /// The row knows of the runs of balls that are missing, and of penalties.
    @Test func theProvidersOwnFallOfWicketCounts() {
        var book = book("1 4 W 1")
        book.snapshot.innings[0].batting[1].fellAt = 10
        #expect(shown(book).lastWicket == "Last102 4 (2) · 10/1 (0.3)")
    }

    @Test func aBatterWhoIsNotOutAfterAllIsNoLastWicket() {
        var book = book("1 4 W 1")
        book.snapshot.innings[0].batting[1].dismissal = nil
        #expect(shown(book).lastWicket == nil)
    }

    // MARK: - The stand

    @Test func thePartnershipCountsWhatTheTwoHaveAdded() {
        var book = book("1 4 W")
        #expect(shown(book).partnership == "0 (0)")
        book.bowl("4 wd lb 2")
        #expect(shown(book).partnership == "8 (3)")
        book.snapshot.phase = .finished
        #expect(shown(book).partnership == nil)
    }

    /// Five runs for the other side's offence are part of the stand in which they were given.
    @Test func penaltyRunsBelongToTheStand() {
        var book = book("1 4")
        book.snapshot.innings[0].runs += 5
        #expect(shown(book).partnership == "10 (2)")
        book.bowl("W 4 2")
        // The row of the wicket says that the five came before it.
        #expect(shown(book).partnership == nil, "and without its total nothing does")
        book.snapshot.innings[0].batting[1].fellAt = 10
        #expect(shown(book).partnership == "6 (2)")
        book.snapshot.innings[0].runs += 5
        #expect(shown(book).partnership == "11 (2)")
        // A torn frame: the next ball is in the total already.
        book.snapshot.innings[0].runs += 1
        book.snapshot.innings[0].overs = Overs(completed: 1, balls: 0)
        #expect(shown(book).partnership == nil)
    }

    /// Retired hurt: the one who comes in begins a stand of his own.
    @Test func aRetirementBeginsANewPartnership() {
        var book = book("4 4")
        book.snapshot.innings[0].batting.append(
            BattingLine(playerID: 103, runs: 0, ballsFaced: 0, fours: 0, sixes: 0, dismissal: nil))
        book.snapshot.innings[0].balls[1].strikerID = 103
        #expect(shown(book).partnership == "4 (1)")
    }

    @Test func aPartnershipOfWhichBallsAreMissingIsNotTold() {
        var book = book("1 4 4 4 1 1 1 1")
        #expect(shown(book).partnership == "17 (8)")
        book.snapshot.innings[0].balls.remove(at: 3)
        #expect(shown(book).partnership == nil)
        book = self.book("1 4 4 4 1 1 1 1")
        book.snapshot.innings[0].balls.removeLast(2)
        #expect(shown(book).partnership == nil)
    }

    // MARK: - The balls

    @Test func extrasHaveTheirRunsAndOversTheirEnd() {
        var book = book("1 wd lb • • • 6 nb b")
        book.snapshot.innings[0].balls[1].wides = 2
        book.snapshot.innings[0].balls[2].legByes = 4
        book.snapshot.innings[0].balls[7].runsOffBat = 4
        #expect(shown(book).recentBalls == ["1", "2wd", "4lb", "•", "•", "•", "6", "|", "5nb", "b"])
    }

    @Test func atMostTwelveEntriesAreShownWhateverEndsBetweenThem() {
        for count in 1...30 {
            let balls = shown(book(String(repeating: "1 ", count: count))).recentBalls
            #expect(balls.count <= DisplayStateBuilder.recentBallsMax && balls.first != "|")
            #expect(balls.count { $0 != "|" } >= min(count, 10))
            #expect((balls.last == "|") == count.isMultiple(of: 6))
        }
    }

    // MARK: - Names

    func names(_ players: [(Int64, String, String)]) -> [String] {
        var book = book("1 W")
        for (id, full, last) in players { book.snapshot.players[id] = Player(id: id, fullName: full, lastName: last) }
        return shown(book).batters.map(\.name)
    }

    @Test func aPlayerIsCalledByTheSurnameOnTheCard() {
        #expect(
            names([(101, "Rohit Sharma", "Sharma"), (103, "AB de Villiers", "Villiers")])
                == ["Sharma", "de Villiers"])
    }

    @Test func namesakesOfTheMatchHaveTheirInitials() {
        // The other plays on the other side.
        #expect(
            names([(101, "Rohit Sharma", "Sharma"), (203, "Ishant Sharma", "Sharma")]) == ["R Sharma", "Last103"])
        #expect(
            names([(101, "RG Sharma", "Sharma"), (103, "Ishant Kumar Sharma", "Sharma")])
                == ["RG Sharma", "IK Sharma"])
        // Whom initials cannot tell apart has the whole name.
        #expect(
            names([(101, "Shaun Marsh", "Marsh"), (103, "Stuart Marsh", "Marsh"), (205, "Mitchell Marsh", "Marsh")])
                == ["Shaun Marsh", "Stuart Marsh"])
        // One who has no other name keeps it.
        #expect(names([(101, "Sohail", "Sohail"), (103, "Haris Sohail", "Sohail")]) == ["Sohail", "H Sohail"])
    }

    @Test func onePersonHasOneNameInAllPlacesOfTheCard() {
        var book = book("1 4 W 1")
        book.snapshot.players[102] = Player(id: 102, fullName: "Rohit Sharma", lastName: "Sharma")
        book.snapshot.players[211] = Player(id: 211, fullName: "Ishant Sharma", lastName: "Sharma")
        let card = shown(book)
        #expect(card.lastWicket == "R Sharma 4 (2) · 5/1 (0.3)" && card.bowler?.name == "I Sharma")
    }

    // MARK: - The result

    @Test(
        arguments: [
            ("Mumbai Indians won by 7 runs", "MI", "won by 7 runs"),
            ("Chennai Super Kings won by 4 wickets with 10 balls left", "CSK", "won by 4 wickets"),
            ("Chennai Super Kings won by 4 wickets with 1 ball left (D/L)", "CSK", "won by 4 wickets (D/L)"),
            ("Mumbai Indians won by 3 runs (DLS method)", "MI", "won by 3 runs (DLS method)"),
            ("Match tied (Mumbai Indians won the Super Over)", "MI", "won the Super Over"),
            ("CSK beat Mumbai Indians by 4 wickets", "CSK", "won by 4 wickets"),
            ("Mumbai Indians won by an innings and 25 runs", "MI", "won by an innings and 25 runs"),
            ("Mumbai Indians won", "MI", "won"), ("CSK won (MI conceded)", "CSK", "won (MI conceded)"),
            ("Match awarded to Chennai Super Kings", "CSK", "awarded the match"),
            ("Mumbai Indians forfeited", "CSK", "won by forfeit"),
            ("Match tied", nil, "Match tied"), ("No result", nil, "No result"), ("Match drawn", nil, "Match drawn"),
            ("Match drawn (India won the series 1-0)", nil, "Match drawn (India won the series 1-0)"),
        ] as [(String, String?, String)])
    func anOutcomeLeadsWithTheWinner(result: String, winner: String?, text: String) {
        var book = book("1 4")
        book.snapshot.phase = .finished
        let card = shown(book, result: result)
        #expect(card.outcome == .init(winnerAbbr: winner, text: text))
        #expect(card.status == result)
    }

    @Test func beforeTheResultThereIsNoOutcome() {
        var book = book("1 4")
        #expect(shown(book).outcome == nil)
        book.snapshot.phase = .finished
        #expect(shown(book).outcome == nil)
    }

    // MARK: - The day

    /// What a match shows as each phase is reached, a ball bowled where play is on.
    private func sessions(_ phases: [MatchPhase], hours: Int = 0) -> [String?] {
        var book = TestScorebook(format: .firstClass, overs: nil)
        var played = Played(book.snapshot.id)
        played.take(book.snapshot, at: book.fetchedAt)
        book.startInnings(batting: 1)
        return phases.map { phase in
            book.snapshot.phase = phase
            book.clock += 60
            if case .innings = phase { book.bowl("1") }
            played.take(book.snapshot, at: book.fetchedAt)
            if case .stumps = phase { book.clock += hours * 3_600 }
            return played.state?.expanded.session
        }
    }

    @Test func aMatchOverSeveralDaysSaysWhichDayAndSessionIsOn() {
        let day: [MatchPhase] = [.innings(1), .lunch, .innings(1), .tea, .innings(1)]
        // A tape's night may be short.
        for hours in [0, 17] {
            let shown = sessions(day + [.stumps(day: 1)] + day, hours: hours)
            #expect(
                shown == [
                    "Day 1 · Session 1", "Day 1", "Day 1 · Session 2", "Day 1", "Day 1 · Session 3", nil,
                    "Day 2 · Session 1", "Day 2", "Day 2 · Session 2", "Day 2", "Day 2 · Session 3",
                ])
        }
    }

    /// Lunch may be taken with rain or between two innings, and the provider then calls it by the other name.
    @Test func aSessionThatIsNotKnownIsLeftOut() {
        let shown = sessions([
            .innings(1), .interrupted, .innings(1), .lunch, .innings(1), .interrupted, .innings(1), .tea,
        ])
        #expect(
            shown == [
                "Day 1 · Session 1", "Day 1", "Day 1", "Day 1", "Day 1 · Session 2", "Day 1", "Day 1", "Day 1",
            ])
        #expect(sessions([.innings(1), .interrupted, .tea, .innings(1)]).last == "Day 1")
    }

    @Test func aDayOfWhichNothingTellsIsLeftOut() {
        var book = book("1 1", format: .firstClass)
        var played = Played(book.snapshot.id)
        played.take(book.snapshot, at: book.fetchedAt)
        #expect(played.state?.expanded.session == "Day 1")
        // Two nights and one day with play between them: a day without a ball, or a rest day.
        book.clock += 2 * 86_400
        book.bowl("1")
        played.take(book.snapshot, at: book.fetchedAt)
        #expect(played.state?.expanded.session == nil)
        var short = self.book("1 1")
        short.snapshot.phase = .lunch
        var other = Played(short.snapshot.id)
        other.take(short.snapshot, at: short.fetchedAt)
        #expect(other.state?.expanded.session == nil)
    }
}
