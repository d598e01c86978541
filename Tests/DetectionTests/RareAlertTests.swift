@testable import Detection
import Cricket
import SightscreenModels
import Testing

/// Alerts that few matches have: the toss, a hat-trick to come, a last over, rain, corrections.
@Suite struct RareAlertTests {
    /// A book whose first frame the machine has already taken.
    private func opening(format: MatchFormat = .twenty20, overs: Int? = 20) -> (TestScorebook, Played) {
        var book = TestScorebook(format: format, overs: overs)
        var played = Played(book.snapshot.id)
        played.take(book.snapshot, at: book.fetchedAt)
        book.clock += 5
        book.startInnings(batting: 1)
        played.take(book.snapshot, at: book.fetchedAt)
        return (book, played)
    }

    /// A chase of `target` by CSK in `overs`, before its first ball.
    private func chase(of target: Int, overs: Int) -> (TestScorebook, Played) {
        var (book, played) = opening(overs: overs)
        book.snapshot.innings[0].runs = target - 1
        book.snapshot.innings[0].overs = Overs(completed: overs, balls: 0)
        book.startInnings(batting: 2)
        played.take(book.snapshot, at: book.fetchedAt)
        return (book, played)
    }

    @Test func theTossIsToldOnceWinnerAndDecisionAreKnown() throws {
        var book = TestScorebook()
        var played = Played(book.snapshot.id)
        played.take(book.snapshot, at: book.fetchedAt)
        book.snapshot.tossWinnerID = 2
        played.take(book.snapshot, at: book.fetchedAt + 5_000)
        #expect(!played.events.contains { $0.kind == .toss })
        book.snapshot.tossDecision = .bowl
        check(played.take(book.snapshot, at: book.fetchedAt + 10_000)?.alert == nil)
        let told = try required(played.take(book.snapshot, at: book.fetchedAt + 15_000)?.alert)
        #expect(told.title == "CSK won the toss and chose to bowl")
        #expect(told.body == "Mumbai Indians bat first")
        // An answer that leaves it out takes nothing back.
        book.snapshot.tossDecision = nil
        played.take(book.snapshot, at: book.fetchedAt + 20_000)
        #expect(played.events.count { $0.kind == .toss } == 1)
        #expect(played.changes.allSatisfy { $0.retracted.isEmpty })
    }

    @Test func aHatTrickThatTheNextBallDidNotBringIsLoggedAndNotTold() throws {
        var (book, played) = opening()
        book.bowl("W W 1")
        let change = try required(played.take(book.snapshot, at: book.fetchedAt))
        #expect(change.events.contains { $0.kind == .onHatTrick })
        #expect(!change.announced.contains { $0.kind == .onHatTrick })
        #expect(change.contentState.expanded.lastEvent?.kind.known == .wicket)
    }

    /// The next batter is known a frame later.
    @Test func whoComesInDoesNotReplaceAHatTrick() throws {
        var (book, played) = opening()
        book.bowl("W W")
        played.take(book.snapshot, at: book.fetchedAt)
        book.bowl("W")
        let next = book.snapshot.innings[0].batting.removeLast()
        played.take(book.snapshot, at: book.fetchedAt)
        book.snapshot.innings[0].batting.append(next)
        let change = try required(played.take(book.snapshot, at: book.fetchedAt + 20_000))
        #expect(change.events.contains { $0.kind == .newBatter })
        #expect(change.contentState.expanded.lastEvent?.kind.known == .hatTrick)
        book.bowl("4")
        #expect(played.take(book.snapshot, at: book.fetchedAt)?.contentState.expanded.lastEvent?.kind.known == .four)
    }

    @Test func noHatTrickIsToComeWhenTheInningsIsOver() throws {
        var (book, played) = opening()
        book.bowl("1 W W")
        book.snapshot.phase = .inningsBreak
        let change = try required(played.take(book.snapshot, at: book.fetchedAt))
        #expect(change.events.contains { $0.kind == .onHatTrick })
        #expect(!change.announced.contains { $0.kind == .onHatTrick })
    }

    @Test func aBowlerWithoutBallsIsOnFireByTheFigures() throws {
        var (book, played) = opening()
        for (wickets, overs) in [(2, 2), (3, 3), (3, 3)] {
            book.snapshot.innings[0].bowling = [
                BowlingLine(
                    playerID: 211, overs: Overs(completed: overs, balls: 0), maidens: 0, runs: 9, wickets: wickets,
                    wides: 0, noBalls: 0)
            ]
            book.snapshot.innings[0].overs = Overs(completed: overs * 2, balls: 0)
            book.snapshot.innings[0].updatedAt = book.clock
            book.clock += 5
            played.take(book.snapshot, at: book.fetchedAt)
        }
        let event = try #require(played.events.first { $0.kind == .bowlerOnFire })
        #expect(event.bowlerID == 211 && event.ballID == nil)
        #expect(played.changes.flatMap(\.announced).contains { $0.kind == .bowlerOnFire })
    }

    @Test func fireInALostChaseIsNotTold() throws {
        var (book, played) = chase(of: 300, overs: 6)
        for _ in 0..<30 {
            book.bowl("4")
            played.take(book.snapshot, at: book.fetchedAt)
        }
        #expect(played.events.contains { $0.kind == .batterOnFire })
        #expect(!played.changes.flatMap(\.announced).contains { $0.kind == .batterOnFire })
    }

    /// For pushes that have not been sent by then.
    @Test func whatTheNextBallOvertakesIsTakenOffTheAlertsThatAreFresh() throws {
        var (book, played) = opening()
        book.bowl("1 W W")
        let told = try required(played.take(book.snapshot, at: book.fetchedAt))
        #expect(told.announced.map(\.kind) == [.onHatTrick, .wicket] && told.overtaken.isEmpty)
        #expect(told.news.count == 2 && told.news.allSatisfy { $0.title.hasPrefix("MI 1/2: ") })
        book.bowl("W")
        let third = try required(played.take(book.snapshot, at: book.fetchedAt - 15_000))
        #expect(third.alert?.kind == .hatTrick)
        #expect(third.overtaken.map { $0.prefix { $0 != ":" } } == ["onHatTrick", "wicket"])
        #expect(third.overtaken.contains("wicket:S1:p103"))
        book.bowl("1")
        #expect(played.take(book.snapshot, at: book.fetchedAt - 40_000)?.overtaken == [])
    }

    @Test func fiveWicketsAreTold() throws {
        var (book, played) = opening(format: .firstClass, overs: nil)
        book.bowl("W W W W W")
        let change = try required(played.take(book.snapshot, at: book.fetchedAt))
        #expect(change.announced.contains { $0.kind == .fiveWickets && $0.value == 5 })
        #expect(change.alert?.isKey == true && change.alert?.sound == true)
    }

    @Test func aCloseFinishIsToldBeforeTheLastOver() throws {
        var (book, played) = chase(of: 20, overs: 2)
        book.bowl("1 1 1 1 1 1")
        let alert = try required(played.take(book.snapshot, at: book.fetchedAt)?.alert)
        #expect(alert.title == "CSK need 14 off the last over")
        #expect(alert.body == "CSK 6/0 (1.0)")
        #expect(alert.isKey)
    }

    @Test(arguments: [27, 6])
    func aFinishThatIsNotCloseIsNotTold(target: Int) {
        var (book, played) = chase(of: target, overs: 2)
        book.bowl("1 1 1 1 1 1")
        played.take(book.snapshot, at: book.fetchedAt)
        #expect(!played.events.contains { $0.kind == .closeFinish })
    }

    @Test func aSuperOversChaseIsACloseFinishBeforeItsFirstBall() throws {
        var (book, played) = opening(overs: 1)
        book.bowl("1 1 1 1 1 1")
        for team in [Int64(2), 2] {
            book.startInnings(batting: team)
            book.bowl("1 1 1 1 1 1")
        }
        book.startInnings(batting: 1)
        played.take(book.snapshot, at: book.fetchedAt)
        let event = try #require(played.events.first { $0.kind == .closeFinish && $0.innings == 4 })
        #expect(event.ball == nil)
    }

    /// 19 are needed, with a penalty of 5 that came before the last over; the next total is behind its balls.
    @Test func aTornFrameMakesNoPenaltyOfTheLastOver() throws {
        var (book, played) = chase(of: 30, overs: 2)
        book.bowl("1")
        book.snapshot.innings[1].runs += 5
        played.take(book.snapshot, at: book.fetchedAt)
        book.bowl("1 1 1 1 1")
        played.take(book.snapshot, at: book.fetchedAt)
        book.bowl("4")
        var torn = book.snapshot
        torn.innings[1].runs -= 4
        played.take(torn, at: book.fetchedAt)
        played.take(book.snapshot, at: book.fetchedAt + 5_000)
        #expect(played.changes.flatMap(\.announced).count { $0.kind == .closeFinish } == 1)
        let last = try #require(
            played.changes.last { change in
                change.retracted.contains("closeFinish:S2") || change.events.contains { $0.kind == .closeFinish }
            })
        #expect(last.events.contains { $0.kind == .closeFinish })
    }

    /// Before the first ball 22 were needed.
    @Test func aPenaltyOnASuperOversFirstBallMakesNoCloseFinish() {
        var (book, played) = opening(overs: 1)
        book.bowl("1 1 1 1 1 1")
        book.startInnings(batting: 2)
        book.bowl("1 1 1 1 1 1")
        book.startInnings(batting: 2)
        book.bowl("4 4 4 4 4 1")
        book.startInnings(batting: 1)
        played.take(book.snapshot, at: book.fetchedAt)
        book.bowl("1")
        book.snapshot.innings[3].runs += 5
        played.take(book.snapshot, at: book.fetchedAt)
        #expect(!played.events.contains { $0.kind == .closeFinish && $0.innings == 4 })
    }

    @Test func aRevisedTargetIsToldOfTwoFrames() throws {
        var (book, played) = chase(of: 150, overs: 20)
        book.bowl("1")
        played.take(book.snapshot, at: book.fetchedAt)
        book.snapshot.revisedTarget = 120
        book.snapshot.revisedOvers = Overs(completed: 15, balls: 3)
        check(played.take(book.snapshot, at: book.fetchedAt + 5_000)?.alert == nil)
        let alert = try required(played.take(book.snapshot, at: book.fetchedAt + 10_000)?.alert)
        #expect(alert.title == "Target revised: CSK need 120")
        #expect(alert.isKey && alert.body.hasPrefix("In 15.3 overs"))
        // A second revision is another one, and does not take the first back.
        book.snapshot.revisedTarget = 110
        let again = try required(played.take(book.snapshot, at: book.fetchedAt + 15_000))
        #expect(again.events.map(\.kind) == [.targetRevised] && again.retracted.isEmpty)
    }

    @Test func stumpsAreToldOnceADay() throws {
        var (book, played) = opening(format: .firstClass, overs: nil)
        for day in 1...2 {
            book.bowl("1")
            book.snapshot.phase = .innings(1)
            played.take(book.snapshot, at: book.fetchedAt)
            book.snapshot.phase = .stumps(day: day)
            // While all rests, the next look comes a minute later.
            for second in [5, 65, 125] { played.take(book.snapshot, at: book.fetchedAt + Int64(second) * 1_000) }
            book.clock += 600
        }
        #expect(played.events.filter { $0.kind == .stumps }.map(\.key) == ["stumps:1", "stumps:2"])
        #expect(played.alerts.map(\.title) == ["Stumps, day 1: MI 1/0", "Stumps, day 2: MI 2/0"])
    }

    @Test func showersAreToldOnceInTwentyMinutes() {
        var (book, played) = opening()
        book.bowl("4")
        for _ in 0..<3 {
            for phase in [MatchPhase.interrupted, .innings(1)] {
                book.snapshot.phase = phase
                for _ in 0..<2 {
                    book.clock += 5
                    played.take(book.snapshot, at: book.fetchedAt)
                }
            }
        }
        #expect(played.events.count { $0.kind == .suspended } == 3)
        #expect(played.alerts.map(\.kind) == [.suspended, .resumed])
    }

    /// One answer says that play has stopped, which is not told for that alone.
    @Test func playThatWasNotToldToHaveStoppedIsNotToldToResume() {
        var (book, played) = opening()
        book.bowl("4")
        for phase in [MatchPhase.interrupted, .innings(1), .innings(1), .innings(1)] {
            book.snapshot.phase = phase
            book.clock += 5
            played.take(book.snapshot, at: book.fetchedAt)
        }
        #expect(played.events.count { $0.kind == .resumed } == 1)
        #expect(played.alerts == [])
    }

    @Test func theCardSaysOnAHatTrickUntilTheNextBall() throws {
        var (book, played) = opening()
        book.bowl("W W")
        check(
            played.take(book.snapshot, at: book.fetchedAt)?.contentState.expanded.lastEvent?.kind.known == .onHatTrick)
        book.bowl("1")
        let last = try required(played.take(book.snapshot, at: book.fetchedAt)).contentState.expanded.lastEvent
        #expect(last?.kind.known == .wicket && last?.ball == "0.2")
    }

    @Test func stumpsAreOffTheCardWithTheNextBall() throws {
        var (book, played) = opening(format: .firstClass, overs: nil)
        book.bowl("1")
        book.snapshot.phase = .stumps(day: 1)
        check(played.take(book.snapshot, at: book.fetchedAt)?.contentState.expanded.lastEvent?.kind.known == .stumps)
        book.snapshot.phase = .innings(1)
        book.bowl("1")
        check(played.take(book.snapshot, at: book.fetchedAt)?.contentState.expanded.lastEvent?.kind.known != .stumps)
    }

    /// What hung on the wicket is put right with it, and for those who heard it.
    @Test func oneCorrectionTellsAllThatABallDidNotBring() throws {
        var (book, played) = opening(format: .firstClass, overs: nil)
        book.bowl("W W 1 W W")
        played.take(book.snapshot, at: book.fetchedAt)
        var reviewed = book
        book.bowl("W")
        let told = try required(played.take(book.snapshot, at: book.fetchedAt)?.alert)
        #expect(told.isKey)
        reviewed.bowl("•")
        let correction = try required(played.take(reviewed.snapshot, at: book.fetchedAt + 5_000)?.alert)
        #expect(correction.title.hasPrefix("Correction: ") && correction.isKey && !correction.sound)
        #expect((correction.title + correction.body).contains("not out"))
        #expect(correction.body.contains("Last211"), "\(correction)")
        check(played.take(reviewed.snapshot, at: book.fetchedAt + 10_000)?.alert == nil)
    }

    /// "ZIM finish on 79/5, SA need 64" says it.
    @Test func aTargetThatTheBreakTellsIsNotToldAgain() throws {
        var (book, played) = opening(overs: 2)
        book.bowl("1 1 1 1 1 1 1 1 1 1 1 1")
        book.snapshot.phase = .inningsBreak
        book.snapshot.revisedTarget = 9
        book.snapshot.revisedOvers = Overs(completed: 1, balls: 0)
        for _ in 0..<3 {
            played.take(book.snapshot, at: book.fetchedAt)
            book.clock += 5
        }
        let alert = try #require(played.alerts.first)
        #expect(played.alerts.count == 1 && alert.kind == .inningsBreak)
        #expect(alert.title == "MI finish on 12/0, CSK need 9" && alert.body.hasPrefix("Target revised"))
        #expect(played.state?.expanded.lastEvent?.text == "CSK need 9 (revised)")
    }

    @Test func theWicketThatEndsTheMatchWaitsFiveSecondsForTheResult() throws {
        func lastWicket() -> (TestScorebook, Played) {
            var (book, played) = chase(of: 20, overs: 2)
            book.bowl("1 1 1")
            book.snapshot.innings[1].wickets = 9
            played.take(book.snapshot, at: book.fetchedAt)
            book.bowl("W")
            check(played.take(book.snapshot, at: book.fetchedAt)?.alert == nil)
            return (book, played)
        }
        var (book, played) = lastWicket()
        book.snapshot.phase = .finished
        book.snapshot.winnerID = 1
        book.snapshot.note = "Mumbai Indians won by 16 runs"
        let one = try required(played.take(book.snapshot, at: book.fetchedAt + 4_000)?.alert)
        #expect(one.title == "MI won by 16 runs")
        #expect(one.body.contains("out for"))
        #expect(one.sound)
        // Without a result it goes out alone, and not later.
        (book, played) = lastWicket()
        check(played.machine.tick(now: book.fetchedAt + 4_000) == nil)
        let alone = try required(played.machine.tick(now: book.fetchedAt + 5_000)?.alert)
        #expect(alone.kind == .wicket)
        check(played.machine.tick(now: book.fetchedAt + 6_000) == nil)
    }

    /// "MI all out for 5, CSK need 6", with the wicket in its body, and not one buzz for each.
    @Test(arguments: [1, 3])
    func whatEndsAnInningsWaitsFiveSecondsForItsEnd(superOvers innings: Int) throws {
        func lastWicket() -> (TestScorebook, Played) {
            var (book, played) = opening(overs: 1)
            if innings == 3 {
                book.bowl("1 1 1 1 1 1")
                book.startInnings(batting: 2)
                book.bowl("1 1 1 1 1 1")
                book.startInnings(batting: 2)
            }
            book.bowl("1 1 1")
            book.snapshot.innings[innings - 1].wickets = innings == 3 ? 1 : 9
            played.take(book.snapshot, at: book.fetchedAt)
            book.bowl("W")
            check(played.take(book.snapshot, at: book.fetchedAt)?.alert == nil)
            return (book, played)
        }
        var (book, played) = lastWicket()
        book.snapshot.phase = .inningsBreak
        let one = try required(played.take(book.snapshot, at: book.fetchedAt + 4_000)?.alert)
        #expect(one.kind == .inningsBreak && one.sound && one.body.contains("out for"))
        // Play that begins without a break tells it, too; without either the wicket goes out alone, and not later.
        (book, played) = lastWicket()
        let alone = try required(played.machine.tick(now: book.fetchedAt + 5_000)?.alert)
        #expect(alone.kind == .wicket)
    }

    /// "MI 3 all out: Smith out" has said that the innings is over; a declaration has not been told.
    @Test(arguments: [true, false])
    func aTestsLastWicketTellsTheEndOfItsInnings(isAllOut: Bool) throws {
        var (book, played) = opening(format: .firstClass, overs: nil)
        book.bowl("1 1 1")
        book.snapshot.innings[0].wickets = isAllOut ? 9 : 5
        played.take(book.snapshot, at: book.fetchedAt)
        book.bowl("W")
        played.take(book.snapshot, at: book.fetchedAt)
        check(played.machine.tick(now: book.fetchedAt + 5_000)?.alert?.kind == (isAllOut ? .wicket : nil))
        book.startInnings(batting: 2)
        for wait in Int64(2)...4 { played.take(book.snapshot, at: book.fetchedAt + wait * 5_000) }
        #expect(played.events.contains { $0.kind == .inningsBreak })
        #expect(played.alerts.contains { $0.kind == .inningsBreak } == !isAllOut)
    }

    /// "CSK finish on 6/0, MI need 7" has said it.
    @Test func whatASuperOversBreakHasToldIsNotToldAgain() throws {
        var (book, played) = opening(overs: 1)
        book.bowl("1 1 1 1 1 1")
        for team in [Int64(2), 2] {
            book.startInnings(batting: team)
            book.bowl("1 1 1 1 1 1")
        }
        played.take(book.snapshot, at: book.fetchedAt)
        book.snapshot.phase = .inningsBreak
        check(played.take(book.snapshot, at: book.fetchedAt + 1_000)?.alert?.kind == .inningsBreak)
        book.startInnings(batting: 1)
        let next = try required(played.take(book.snapshot, at: book.fetchedAt + 300_000))
        #expect(next.events.contains { $0.kind == .closeFinish } && next.alert == nil)
        #expect(next.contentState.expanded.lastEvent?.kind.known == .closeFinish)
    }

    @Test func aBallThatVanishesForOneFrameIsNoCorrection() throws {
        var (book, played) = opening()
        book.bowl("1")
        let before = book.snapshot
        book.bowl("W")
        check(played.take(book.snapshot, at: book.fetchedAt)?.alert?.kind == .wicket)
        var without = before
        without.innings[0].updatedAt = book.clock
        check(played.take(without, at: book.fetchedAt + 5_000)?.alert == nil)
        played.take(book.snapshot, at: book.fetchedAt + 10_000)
        #expect(played.alerts.map(\.kind) == [.wicket])
        // Gone for good it is one, once.
        for second in 3...6 {
            without.innings[0].updatedAt = book.clock + second
            played.take(without, at: book.fetchedAt + Int64(second) * 5_000)
        }
        #expect(played.alerts.map(\.kind) == [.wicket, .correction])
    }

    @Test func aFiftyThatWasTakenBackIsToldAgainOnALaterBall() throws {
        var (book, played) = opening()
        book.bowl("6 6 6 6 6 6 1 6 6")
        played.take(book.snapshot, at: book.fetchedAt)
        var corrected = book
        book.bowl("4")
        check(played.take(book.snapshot, at: book.fetchedAt)?.announced.contains { $0.kind == .milestone } == true)
        // The boundary was a dot.
        corrected.bowl("•")
        let correction = try required(played.take(corrected.snapshot, at: book.fetchedAt + 5_000))
        #expect(correction.alert?.title == "Correction: Last101 not yet 50")
        corrected.bowl("4")
        let again = try required(played.take(corrected.snapshot, at: corrected.fetchedAt))
        #expect(again.announced.contains { $0.kind == .milestone && $0.value == 50 })
    }

    @Test func theLastEventStaysForSixBalls() {
        var (book, played) = opening()
        book.bowl("4")
        played.take(book.snapshot, at: book.fetchedAt)
        for _ in 1...6 {
            book.bowl("1")
            played.take(book.snapshot, at: book.fetchedAt)
            #expect(played.state?.expanded.lastEvent?.ball == "0.1")
        }
        book.bowl("1")
        played.take(book.snapshot, at: book.fetchedAt)
        #expect(played.state?.expanded.lastEvent == nil)
    }

    @Test func theLastFiveOversOfAChaseGoAtPriorityTenWithoutAnAlert() throws {
        var (book, played) = chase(of: 200, overs: 6)
        book.bowl("• • • • 1")
        check(played.take(book.snapshot, at: book.fetchedAt)?.priority == 5)
        book.bowl("1")
        let late = try required(played.take(book.snapshot, at: book.fetchedAt))
        #expect(late.priority == 10 && late.alert == nil)
        // A word that changes is no ball.
        book.snapshot.competitionCode = "T20"
        check(played.take(book.snapshot, at: book.fetchedAt + 5_000)?.priority == 5)
    }
}
