import Detection
import Sightscreen
import Testing

/// What the provider does to a frame on its way, one habit at a time. Whole matches with all of them are replayed from
/// tapes.
@Suite struct DirtyFeedTests {
    /// A book in its first innings, and a machine that has seen it begin.
    func opening() -> (PlayBook, Played) {
        var book = PlayBook()
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
        let result = try required(played.take(book.snapshot, at: book.fetchedAt))
        #expect(result.alert?.kind == .matchResult)
        #expect(result.events.last?.ball == "0.1")
        book.bowl("•")
        let moved = try required(played.take(book.snapshot, at: book.fetchedAt))
        #expect(moved.retracted == ["matchResult"])
        #expect(moved.events.last?.ball == "0.2")
        #expect(moved.alert == nil)
    }
}
