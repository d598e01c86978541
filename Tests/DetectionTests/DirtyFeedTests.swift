import Cricket
import Detection
import SightscreenModels
import Testing

/// What the provider does to a frame on its way, one habit at a time. Whole matches with all of them are replayed from
/// tapes.
@Suite struct DirtyFeedTests {
    /// A book in its first innings, and a machine that has seen it begin.
    func opening() -> (TestScorebook, Played) {
        var book = TestScorebook()
        var played = Played(book.snapshot.id)
        book.startInnings(batting: 1)
        played.take(book.snapshot, at: book.fetchedAt)
        return (book, played)
    }

    @Test func anAnswerFromAMachineThatLagsIsPutAsideOnce() throws {
        var (book, played) = opening()
        book.bowl("1")
        let older = book.snapshot
        book.bowl("W 4")
        check(played.take(book.snapshot, at: book.fetchedAt) != nil)
        // Fetched later, but all in it was touched before what is shown.
        check(played.take(older, at: book.fetchedAt + 5_000) == nil)
        #expect(played.state?.compactLeading.score == "5/1")
        check(played.take(book.snapshot, at: book.fetchedAt + 10_000) == nil)
        #expect(played.changes.flatMap(\.retracted) == [])
    }

    /// What is newer need not be a ball or a run.
    @Test func anAnswerFromBeforeAWicketWithoutABallIsOlder() throws {
        var (book, played) = opening()
        book.bowl("1 W")
        let older = book.snapshot
        book.snapshot.innings[0].wickets += 1
        book.snapshot.innings[0].updatedAt = book.clock + 20
        played.take(book.snapshot, at: book.fetchedAt + 20_000)
        check(played.take(older, at: book.fetchedAt + 25_000) == nil)
        #expect(played.state?.compactLeading.score == "1/2")
    }

    @Test func anAnswerFromBeforeAnInningsBeganIsOlder() throws {
        var (book, played) = opening()
        book.bowl("1 W")
        let older = book.snapshot
        book.startInnings(batting: 2)
        book.snapshot.innings[1].updatedAt = book.clock + 20
        played.take(book.snapshot, at: book.fetchedAt + 20_000)
        check(played.take(older, at: book.fetchedAt + 25_000) == nil)
        #expect(played.state?.compactLeading.teamAbbr == "CSK")
    }

    @Test func whatTheProviderSaysTwiceIsItsWord() throws {
        var (book, played) = opening()
        book.bowl("1")
        let deleted = book.snapshot
        book.bowl("W")
        played.take(book.snapshot, at: book.fetchedAt)
        check(played.take(deleted, at: book.fetchedAt + 5_000) == nil)
        let change = try required(played.take(deleted, at: book.fetchedAt + 10_000))
        #expect(change.contentState.compactLeading.score == "1/0")
        #expect(change.retracted.contains("wicket:S1:p102"))
    }

    @Test func anEventThatIsToldDifferentlyIsTakenBackAndToldAgainWithoutAnAlert() throws {
        var (book, played) = opening()
        book.bowl("1 W")
        let first = try required(played.take(book.snapshot, at: book.fetchedAt))
        let wicket = try #require(first.events.first { $0.kind == .wicket })
        #expect(first.alert?.kind == .wicket)
        // The scorer had credited the wrong bowler.
        let place = book.snapshot.innings[0].balls.count - 1
        book.snapshot.innings[0].balls[place].bowlerID = 205
        let second = try required(played.take(book.snapshot, at: book.fetchedAt + 5_000))
        #expect(second.retracted.contains(wicket.key))
        // A phone that has not been told of it yet still is.
        #expect(!second.withdrawn.contains(wicket.key))
        let again = try #require(second.events.first { $0.key == wicket.key })
        #expect(again.bowlerID == 205 && again.outID == wicket.outID && again.ball == wicket.ball)
        #expect(second.alert == nil)
    }

    @Test func aChangeOfWordingAloneIsNoNewEvent() throws {
        var (book, played) = opening()
        book.bowl("1 W")
        played.take(book.snapshot, at: book.fetchedAt)
        let place = book.snapshot.innings[0].balls.count - 1
        book.snapshot.innings[0].balls[place].howOut = .caught
        book.snapshot.innings[0].balls[place].fielderID = 203
        let change = try required(played.take(book.snapshot, at: book.fetchedAt + 5_000))
        #expect(change.events.isEmpty && change.retracted.isEmpty)
        #expect(change.contentState.expanded.lastEvent?.text.contains("c Last203") == true)
    }

    @Test(arguments: ["Drinks", "", "Super Over"])
    func aStatusThatNobodyKnowsChangesNothing(word: String) throws {
        var (book, played) = opening()
        book.bowl("1")
        played.take(book.snapshot, at: book.fetchedAt)
        let known = book.snapshot.phase
        book.snapshot.phase = .unknown(word)
        check(played.take(book.snapshot, at: book.fetchedAt + 5_000) == nil)
        book.snapshot.phase = .interrupted
        check(played.take(book.snapshot, at: book.fetchedAt + 10_000)?.displayState == .suspended)
        book.snapshot.phase = .unknown(word)
        check(played.take(book.snapshot, at: book.fetchedAt + 15_000) == nil)
        // A ball is bowled under the unknown word: play is on.
        book.bowl("4")
        let change = try required(played.take(book.snapshot, at: book.fetchedAt))
        #expect(change.displayState == .live)
        #expect(change.events.contains { $0.kind == .resumed })
        book.snapshot.phase = known
        // The stop was seen once, and told to nobody.
        check(played.take(book.snapshot, at: book.fetchedAt + 5_000) == nil)
    }

    @Test func rainBetweenTwoInningsTakesNoInningsBreakBack() throws {
        var (book, played) = opening()
        book.bowl(Array(repeating: "1", count: 120).joined(separator: " "))
        book.snapshot.phase = .inningsBreak
        let pause = try required(played.take(book.snapshot, at: book.fetchedAt))
        #expect(pause.events.contains { $0.kind == .inningsBreak })
        for phase in [MatchPhase.interrupted, .delayed, .unknown("Rain"), .inningsBreak] {
            book.clock += 60
            book.snapshot.phase = phase
            played.take(book.snapshot, at: book.fetchedAt)
        }
        book.startInnings(batting: 2)
        played.take(book.snapshot, at: book.fetchedAt + 5_000)
        #expect(played.events.count { $0.kind == .inningsBreak } == 1)
        #expect(played.changes.flatMap(\.retracted) == [])
    }

    @Test func anInningsBreakByMistakeIsTakenBackWhenPlayGoesOn() throws {
        var (book, played) = opening()
        book.bowl("1 1 1")
        book.snapshot.phase = .inningsBreak
        let mistake = try required(played.take(book.snapshot, at: book.fetchedAt))
        #expect(mistake.events.contains { $0.kind == .inningsBreak })
        #expect(mistake.alert == nil)
        book.snapshot.phase = .innings(1)
        let change = try required(played.take(book.snapshot, at: book.fetchedAt + 5_000))
        #expect(change.retracted == ["inningsBreak:S1"])
        #expect(played.alerts.isEmpty)
    }

    @Test func aWicketOfTheRowsAloneWaitsWhileItsBallShowsNone() throws {
        var (book, played) = opening()
        book.bowl("1 W")
        // Overturned: the ball is put right a moment before the rows are.
        let place = book.snapshot.innings[0].balls.count - 1
        let label = book.snapshot.innings[0].balls[place].label
        book.snapshot.innings[0].balls[place].outID = nil
        book.snapshot.innings[0].balls[place].howOut = nil
        let row = try #require(book.snapshot.innings[0].batting.firstIndex { $0.dismissal != nil })
        book.snapshot.innings[0].batting[row].fellOn = label
        let change = try required(played.take(book.snapshot, at: book.fetchedAt))
        #expect(change.alert == nil)
        book.snapshot.innings[0].batting[row].dismissal = nil
        book.snapshot.innings[0].wickets = 0
        let right = try required(played.take(book.snapshot, at: book.fetchedAt + 5_000))
        #expect(right.alert == nil)
        #expect(right.retracted.contains { $0.hasPrefix("wicket:") })
        #expect(played.alerts.isEmpty)
    }

    @Test func aResultMovesWithTheLastBallAndIsAnnouncedOnce() throws {
        var (book, played) = opening()
        book.bowl("1")
        book.snapshot.phase = .abandoned
        book.snapshot.note = "No result"
        book.clock += 5
        check(played.take(book.snapshot, at: book.fetchedAt)?.alert == nil)
        let result = try required(played.take(book.snapshot, at: book.fetchedAt + 5_000))
        #expect(result.alert?.kind == .matchResult)
        #expect(result.events.last?.ball == "0.1")
        book.bowl("•")
        let moved = try required(played.take(book.snapshot, at: book.fetchedAt))
        #expect(moved.retracted == ["matchResult"])
        #expect(moved.events.last?.ball == "0.2")
        #expect(moved.alert == nil)
    }

    @Test func aWicketThatTheRowsShowBeforeItsBallBuzzesOnce() throws {
        var (book, played) = opening()
        book.bowl("1")
        played.take(book.snapshot, at: book.fetchedAt)
        let (before, balls) = (book.snapshot, book.snapshot.innings[0].balls)
        book.bowl("W")
        check(played.take(before, at: book.fetchedAt - 3_000) == nil)
        var early = book.snapshot
        early.innings[0].balls = balls
        let row = try #require(early.innings[0].batting.firstIndex { $0.dismissal != nil })
        early.innings[0].batting[row].fellOn = "0.2"
        check(played.take(early, at: book.fetchedAt)?.alert?.kind == .wicket)
        book.snapshot.innings[0].batting[row].fellOn = "0.2"
        let whole = try required(played.take(book.snapshot, at: book.fetchedAt + 2_000))
        #expect(whole.alert == nil)
        #expect(whole.events.contains { $0.kind == .wicket && $0.ball == "0.2" })
    }

    @Test func aFrameOfNonsenseSilencesNoInnings() throws {
        var (book, played) = opening()
        book.bowl("1 1 1 1 1 1 1 1 1 1 1 1 1 1")
        played.take(book.snapshot, at: book.fetchedAt)
        // All balls are said to be of the ninth innings, once.
        var nonsense = book.snapshot
        nonsense.innings[0].balls = []
        var ninth = book.snapshot.innings[0]
        ninth.number = 9
        nonsense.innings.append(ninth)
        played.take(nonsense, at: book.fetchedAt + 5_000)
        played.take(book.snapshot, at: book.fetchedAt + 10_000)
        book.bowl("W")
        let change = try required(played.take(book.snapshot, at: book.fetchedAt))
        #expect(change.alert?.kind == .wicket)
        #expect(change.events.contains { $0.kind == .wicket })
    }

    @Test func anInningsThatWasClosedByMistakeIsOpenedAgain() throws {
        var (book, played) = opening()
        book.bowl("1 1 1 1 1 1 1 1 1 1 1 1 1 1")
        var nonsense = book.snapshot
        nonsense.innings[0].number = 9
        for frame in 0..<5 { played.take(nonsense, at: book.fetchedAt + Int64(frame) * 5_000) }
        played.take(book.snapshot, at: book.fetchedAt + 30_000)
        book.clock += 60
        book.bowl("W")
        let change = try required(played.take(book.snapshot, at: book.fetchedAt))
        #expect(change.alert?.kind == .wicket)
    }

    @Test func whatHappensAfterAQuietMinuteIsNews() throws {
        var (book, played) = opening()
        book.bowl("1")
        played.take(book.snapshot, at: book.fetchedAt)
        book.bowl("W")
        // The scorer's clock is behind, and nothing was offered since because nothing changed.
        let place = book.snapshot.innings[0].balls.count - 1
        book.snapshot.innings[0].balls[place].updatedAt -= 60
        let at = book.fetchedAt + 20_000
        var unheard = played
        check(unheard.take(book.snapshot, at: at)?.alert == nil)
        let change = try required(
            played.machine.apply(book.snapshot, fetchedAt: at, unchangedUntil: at - 5_000, now: at))
        #expect(change.alert?.kind == .wicket)
    }

    @Test func aWicketOfLongAgoIsNoNewsInTheFirstFrame() throws {
        var (book, _) = opening()
        book.bowl("1 W 1")
        // No ball shows it, and the total moves with every ball.
        book.snapshot.innings[0].balls[1].outID = nil
        book.snapshot.innings[0].balls[1].howOut = nil
        book.snapshot.innings[0].updatedAt = book.clock + 1_200
        var played = Played(book.snapshot.id)
        let change = try required(played.take(book.snapshot, at: book.fetchedAt + 1_200_000))
        #expect(change.events.contains { $0.kind == .wicket })
        #expect(change.alert == nil)
    }

    @Test func figuresThatNoBatterEverHadCostNoMoreThanTheirFrame() throws {
        var (book, played) = opening()
        book.bowl("1")
        for row in book.snapshot.innings[0].batting.indices { book.snapshot.innings[0].batting[row].runs = 99_999 }
        let change = try required(played.take(book.snapshot, at: book.fetchedAt))
        #expect(change.events.count { $0.kind == .milestone } <= 2 * 19)
        #expect(change.alert == nil)
    }
}
