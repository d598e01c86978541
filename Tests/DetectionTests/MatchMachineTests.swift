import Cricket
import Detection
import FoundationEssentials
import SightscreenModels
import Testing

@Suite struct MatchMachineTests {
    /// A book whose first frame the machine has already taken.
    func opening(format: MatchFormat = .twenty20, overs: Int? = 20) -> (TestScorebook, Played) {
        var book = TestScorebook(format: format, overs: overs)
        var played = Played(book.snapshot.id)
        played.take(book.snapshot, at: book.fetchedAt)
        book.clock += 5
        book.startInnings(batting: 1)
        played.take(book.snapshot, at: book.fetchedAt)
        return (book, played)
    }

    @Test func aMatchIsShownAsScheduledBeforePlay() {
        let (_, played) = opening()
        #expect(played.changes.first?.displayState == .scheduled)
        #expect(played.changes.first?.hasBegun == false)
        #expect(played.changes.last?.displayState == .live)
        #expect(played.changes.last?.hasBegun == true)
    }

    @Test func aChangeNamesItsPhaseAndSaysWhetherNothingIsPlayed() throws {
        var (book, played) = opening()
        #expect(played.changes.map(\.phase) == ["notStarted", "innings"])
        #expect(played.changes.allSatisfy { !$0.isBreak })
        let pauses: [(MatchPhase, String)] = [
            (.delayed, "delayed"), (.inningsBreak, "inningsBreak"), (.lunch, "lunch"), (.tea, "tea"),
            (.dinner, "dinner"), (.stumps(day: 2), "stumps"), (.interrupted, "interrupted"),
        ]
        for (phase, name) in pauses {
            book.clock += 60
            book.snapshot.phase = phase
            let change = try required(played.take(book.snapshot, at: book.fetchedAt))
            #expect(change.phase == name)
            #expect(change.isBreak)
        }
    }

    @Test func aSuperOverInPlayIsNoBreak() throws {
        var (book, played) = opening()
        for _ in 1...2 { book.startInnings(batting: 2) }
        book.bowl("1")
        let change = try required(played.take(book.snapshot, at: book.fetchedAt))
        #expect(change.contentState.expanded.status == "Super over")
        #expect(change.phase == "innings")
        #expect(!change.isBreak)
    }

    /// Up to 20 minutes pass, in which a card would be stale after 10.
    @Test func levelScoresBeforeASuperOverAreABreak() throws {
        var book = TestScorebook(overs: 1)
        var played = Played(book.snapshot.id)
        book.startInnings(batting: 1)
        book.bowl("1 1 1 1 1 1")
        book.startInnings(batting: 2)
        book.bowl("1 1 1 1 1 1")
        book.snapshot.phase = .finished
        let change = try required(played.take(book.snapshot, at: book.fetchedAt))
        #expect(change.contentState.expanded.status == "Scores level")
        #expect(change.phase == "finished" && change.isBreak)
    }

    @Test func aWicketThatBallAndRowAgreeOnAlertsAtOnceWithSound() throws {
        var (book, played) = opening()
        book.bowl("1 W")
        let change = try required(played.take(book.snapshot, at: book.fetchedAt))
        let alert = try #require(change.alert)
        #expect(change.priority == 10)
        #expect(alert.title == "MI 1/1: Last102 out first ball")
        #expect(alert.body == "b Last211 0 (1) · 0.2 overs")
        #expect(alert.sound)
        #expect(alert.eventAt == book.clock)
        #expect(change.contentState.expanded.lastEvent?.kind.known == .wicket)
        #expect(change.contentState.expanded.lastEvent?.ball == "0.2")
        check(played.take(book.snapshot, at: book.fetchedAt + 5_000) == nil)
    }

    @Test func aWicketThatTheRestOfTheFrameDeniesWaitsUntilItIsDeniedNoMore() throws {
        var (book, played) = opening()
        book.bowl("1 W")
        var torn = book.snapshot
        torn.innings[0].wickets = 0
        torn.innings[0].batting = opening().0.snapshot.innings[0].batting
        let first = try required(played.take(torn, at: book.fetchedAt))
        #expect(first.alert == nil)
        #expect(first.priority == 5)
        #expect(first.events.contains { $0.kind == .wicket })
        check(played.take(torn, at: book.fetchedAt + 5_000) == nil)
        check(played.take(torn, at: book.fetchedAt + 10_000) == nil)
        let whole = try required(played.take(book.snapshot, at: book.fetchedAt + 15_000))
        #expect(whole.alert?.kind == .wicket)
        #expect(!whole.events.contains { $0.kind == .wicket })
    }

    @Test func aRetractedWicketIsToldAsACorrectionAndItsBatterCanBeOutLater() throws {
        var (book, played) = opening()
        book.bowl("1")
        var reviewed = book
        book.bowl("W")
        check(played.take(book.snapshot, at: book.fetchedAt)?.alert?.kind == .wicket)
        // Overturned: the ball stays and is a dot.
        reviewed.bowl("•")
        let correction = try required(played.take(reviewed.snapshot, at: book.fetchedAt + 5_000))
        #expect(correction.priority == 10)
        #expect(correction.alert?.title == "Correction: Last102 not out")
        #expect(correction.alert?.sound == false)
        // The first wicket of a side: nothing for followers of key alerts, and no more is its correction.
        #expect(correction.alert?.kind == .correction && correction.alert?.isKey == false)
        #expect(correction.retracted == ["newBatter:S1:p103", "wicket:S1:p102"])
        #expect(correction.contentState.expanded.lastEvent?.kind.known == .correction)
        #expect(correction.contentState.expanded.lastEvent?.text == "Last102 not out")
        // Given out after all, on the same ball: nobody is told twice.
        check(played.take(book.snapshot, at: book.fetchedAt + 10_000)?.alert == nil)
        check(played.take(reviewed.snapshot, at: book.fetchedAt + 15_000)?.alert == nil)
        // Out on a later ball: that is news.
        reviewed.bowl("W")
        check(played.take(reviewed.snapshot, at: reviewed.fetchedAt)?.alert?.kind == .wicket)
    }

    @Test func severalEventsMakeOneAlertWithTheKeyEventAsItsTitle() throws {
        var (book, played) = opening()
        book.bowl("W W")
        let alert = try required(played.take(book.snapshot, at: book.fetchedAt)?.alert)
        #expect(alert.kind == .onHatTrick)
        #expect(alert.title == "MI 0/2: Last211 on a hat-trick")
        #expect(alert.body == "Last103 b Last211 0 (1), after Last101 · 0.2 overs")
        #expect(alert.sound)
        #expect(played.alerts.count == 1)
    }

    @Test func newsOlderThanHalfAMinuteBuzzesNobody() throws {
        var (book, played) = opening()
        book.bowl("W")
        let happened = book.clock
        book.bowl("•")
        // Both balls come 90 s after the wicket: the provider was away.
        let change = try required(played.take(book.snapshot, at: Int64(happened + 90) * 1_000))
        #expect(change.alert == nil)
        #expect(change.priority == 5)
        #expect(change.events.contains { $0.kind == .wicket })
    }

    @Test func anOlderFrameIsIgnored() {
        var (book, played) = opening()
        let before = book.snapshot
        book.bowl("4")
        played.take(book.snapshot, at: book.fetchedAt)
        check(played.take(before, at: book.fetchedAt - 1_000) == nil)
        #expect(played.state?.compactLeading.score == "4/0")
    }

    @Test func rainIsSuspendedAndResumedOnceEachAndKeptAlive() throws {
        var (book, played) = opening()
        book.bowl("4")
        played.take(book.snapshot, at: book.fetchedAt)
        book.snapshot.phase = .interrupted
        let rain = try required(played.take(book.snapshot, at: book.fetchedAt + 5_000))
        #expect(rain.events.map(\.kind) == [.suspended])
        #expect(rain.alert == nil)
        // A second frame says so: that is rain.
        let agreed = try required(played.take(book.snapshot, at: book.fetchedAt + 9_000))
        #expect(agreed.alert?.title == "Play stopped: MI 4/0")
        #expect(agreed.alert?.isKey == false && agreed.alert?.sound == false)
        #expect(rain.isSuspended)
        #expect(rain.displayState == .suspended)
        check(played.machine.tick(now: book.fetchedAt + 10_000) == nil)
        let later = book.fetchedAt + 1_300_000
        let alive = try required(played.machine.tick(now: later))
        #expect(alive.contentState == rain.contentState)
        #expect(alive.priority == 5 && alive.alert == nil && alive.isSuspended)
        check(played.machine.tick(now: later + 1_000) == nil)
        book.snapshot.phase = .innings(1)
        let dry = try required(played.take(book.snapshot, at: later + 60_000))
        #expect(dry.events.map(\.kind) == [.resumed])
        #expect(dry.priority == 5)
        #expect(!dry.isSuspended)
    }

    @Test func atStumpsNothingIsKeptAlive() throws {
        var (book, played) = opening(format: .firstClass, overs: nil)
        book.bowl("4")
        book.snapshot.phase = .stumps(day: 1)
        check(played.take(book.snapshot, at: book.fetchedAt)?.atStumps == false)
        let stumps = try required(played.take(book.snapshot, at: book.fetchedAt + 5_000))
        #expect(stumps.atStumps)
        #expect(stumps.displayState == .live)
        check(played.machine.tick(now: book.fetchedAt + 36_000_000) == nil)
    }

    /// The activities end by `atStumps`: not before the version that tells why.
    @Test func aDayIsOverWithTheAlertThatSaysSo() throws {
        var (book, played) = opening(format: .firstClass, overs: nil)
        book.bowl("4")
        book.snapshot.phase = .stumps(day: 1)
        let first = try required(played.take(book.snapshot, at: book.fetchedAt))
        #expect(!first.atStumps && first.alert == nil)
        #expect(first.contentState.expanded.status == "Day 1: Stumps")
        let second = try required(played.take(book.snapshot, at: book.fetchedAt + 5_000))
        #expect(second.atStumps && second.alert?.kind == .stumps)
        // A correction of the night changes nothing of it, and the morning's play does.
        book.snapshot.note = "Stumps"
        check(played.take(book.snapshot, at: book.fetchedAt + 10_000)?.atStumps != false)
        book.snapshot.phase = .innings(1)
        book.bowl("1")
        check(played.take(book.snapshot, at: book.fetchedAt + 60_000)?.atStumps == false)
    }

    @Test func oneAnswerThatSaysStumpsEndsNoDay() throws {
        var (book, played) = opening(format: .firstClass, overs: nil)
        book.bowl("4")
        for phase in [MatchPhase.stumps(day: 1), .innings(1), .innings(1)] {
            book.snapshot.phase = phase
            book.clock += 5
            played.take(book.snapshot, at: book.fetchedAt)
        }
        #expect(played.changes.allSatisfy { !$0.atStumps } && played.alerts.isEmpty)
    }

    /// Nobody knows how long a status has lasted that the first frame has: it is not told.
    @Test func aMatchFirstSeenAtStumpsIsAtStumps() throws {
        var book = TestScorebook()
        book.startInnings(batting: 1)
        book.bowl("4")
        book.snapshot.phase = .stumps(day: 1)
        var played = Played(book.snapshot.id)
        check(played.take(book.snapshot, at: book.fetchedAt)?.atStumps == true)
    }

    /// A finished T20 in which home, batting second, needs 7 and makes `last`.
    func finished(_ last: String) -> (TestScorebook, Played) {
        var (book, played) = opening(overs: 1)
        book.snapshot.innings = []
        book.startInnings(batting: 2)
        book.bowl("1 1 1 1 1 1")
        book.startInnings(batting: 1)
        book.bowl("1 1 1")
        played.take(book.snapshot, at: book.fetchedAt)
        book.bowl(last)
        played.take(book.snapshot, at: book.fetchedAt)
        book.snapshot.phase = .finished
        return (book, played)
    }

    @Test func aResultWaitsForItsWinnerAndThenEndsTheMatch() throws {
        var (book, played) = finished("4")
        let early = try required(played.take(book.snapshot, at: book.fetchedAt + 5_000))
        #expect(!early.isSettled)
        #expect(early.displayState == .live)
        #expect(early.contentState.expanded.status == "Awaiting the result")
        book.snapshot.winnerID = 1
        book.snapshot.note = "Mumbai Indians won by 10 wickets (With 2 balls remaining)"
        let result = try required(played.take(book.snapshot, at: book.fetchedAt + 20_000))
        #expect(result.isSettled)
        #expect(result.displayState == .completed)
        #expect(result.alert?.kind == .matchResult)
        #expect(result.priority == 10)
        #expect(result.contentState.expanded.status?.hasPrefix("Mumbai Indians won by 10 wickets") == true)
        check(played.take(book.snapshot, at: book.fetchedAt + 25_000) == nil)
        check(played.machine.tick(now: book.fetchedAt + 99_000_000) == nil)
    }

    /// The answers of an hour were missed: the end of an innings and the beginning of the next.
    @Test(arguments: ["1", "• 1 • • 2 1 •"])
    func afterAnOutageTheLastEventIsOfTheInningsInPlay(balls: String) throws {
        var (book, played) = opening(overs: 1)
        book.bowl("4 • 6 1")
        played.take(book.snapshot, at: book.fetchedAt)
        book.bowl("1 W")
        book.clock += 1_800
        book.startInnings(batting: 2)
        book.bowl(balls)
        played.take(book.snapshot, at: book.fetchedAt)
        #expect(played.state?.expanded.lastEvent == nil)
        book.bowl("W")
        played.take(book.snapshot, at: book.fetchedAt)
        #expect(played.state?.expanded.lastEvent?.kind.known == .wicket)
    }

    /// The provider never says who has won.
    @Test func whatWasKnownGivesWayToTheResultThatTimeBrings() throws {
        var (book, played) = finished("W •")
        book.bowl("•")
        played.take(book.snapshot, at: book.fetchedAt + 5_000)
        #expect(played.state?.expanded.equation == "MI fall 3 short")
        let result = try required(played.machine.tick(now: book.fetchedAt + 400_000))
        #expect(result.isSettled && result.contentState.expanded.equation == nil)
        #expect(result.contentState.expanded.outcome?.text == "won by 3 runs")
    }

    @Test(arguments: ["", "Post Match"])
    func aStatusThatNobodyKnowsDoesNotTakeBackTheResult(status: String) throws {
        var (book, played) = finished("4")
        book.snapshot.winnerID = 1
        book.snapshot.note = "Mumbai Indians won by 10 wickets"
        let result = try required(played.take(book.snapshot, at: book.fetchedAt + 5_000))
        #expect(result.isSettled)
        book.snapshot.phase = .unknown(status)
        played.take(book.snapshot, at: book.fetchedAt + 10_000)
        book.snapshot.phase = .finished
        played.take(book.snapshot, at: book.fetchedAt + 15_000)
        #expect(played.changes.last?.isSettled == true)
        #expect(played.changes.drop { !$0.isSettled }.allSatisfy { $0.isSettled && $0.retracted.isEmpty })
        #expect(played.events.count { $0.kind == .matchResult } == 1)
        // Play that goes on does: a super over.
        book.snapshot.phase = .innings(3)
        let reopened = try required(played.take(book.snapshot, at: book.fetchedAt + 20_000))
        #expect(!reopened.isSettled)
    }

    @Test func withoutAWinnerTheRunsDecideAfterTheHold() throws {
        var (book, played) = finished("4")
        book.snapshot.winnerID = 2
        played.take(book.snapshot, at: book.fetchedAt + 5_000)
        check(played.machine.tick(now: book.fetchedAt + 290_000) == nil)
        let result = try required(played.machine.tick(now: book.fetchedAt + 320_000))
        #expect(result.isSettled)
        #expect(result.events.map(\.kind) == [.matchResult])
        #expect(result.alert?.kind == .matchResult)
        #expect(result.contentState.expanded.status?.contains("Mumbai Indians") == true)
    }

    @Test func aTieWaitsForItsSuperOver() throws {
        var (book, played) = finished("1 1 1")
        book.snapshot.note = "Match tied"
        let tied = try required(played.take(book.snapshot, at: book.fetchedAt + 5_000))
        #expect(!tied.isSettled)
        check(played.machine.tick(now: book.fetchedAt + 600_000) == nil)
        let settled = try required(played.machine.tick(now: book.fetchedAt + 1_300_000))
        #expect(settled.isSettled)
        #expect(settled.alert?.kind == .matchResult)
    }

    @Test(arguments: 0..<12)
    func anyPlayGivesTheSameStateTwiceAndFitsAPush(seed: Int) throws {
        let symbols = ["•", "1", "2", "3", "4", "6", "W", "wd", "nb", "b", "lb"]
        func run() throws -> [MatchChange] {
            var random = Congruential(seed: UInt64(seed))
            var (book, played) = opening()
            for innings in 0..<2 {
                if innings == 1 {
                    book.snapshot.phase = .inningsBreak
                    played.take(book.snapshot, at: book.fetchedAt + 1_000)
                    book.clock += 600
                    book.startInnings(batting: 2)
                }
                for _ in 0..<60 where book.snapshot.innings.last.map({ $0.wickets < 10 }) == true {
                    var later = book
                    later.bowl(symbols[random.next(symbols.count)])
                    // Some balls come late, some frames twice, some are torn.
                    if random.next(8) == 0 {
                        var torn = later.snapshot
                        torn.innings[innings].runs = book.snapshot.innings[innings].runs
                        played.take(torn, at: later.fetchedAt - 2_000)
                    }
                    if random.next(4) != 0 { played.take(later.snapshot, at: later.fetchedAt) }
                    book = later
                }
                played.take(book.snapshot, at: book.fetchedAt)
            }
            let last = try #require(played.state)
            #expect(last.expanded.innings.map(\.score) == book.snapshot.innings.map(\.shownScore))
            return played.changes
        }
        let changes = try run()
        #expect(try run() == changes)
        let allowed = Set(["•", "1", "2", "3", "4", "5", "6", "W", "wd", "nb", "b", "lb", "|"])
        for change in changes {
            #expect(try JSONEncoder().encode(change.contentState).count < 1_500)
            #expect(Set(change.contentState.expanded.recentBalls).isSubset(of: allowed))
            #expect((0...100).contains(change.relevance))
            #expect(change.priority == (change.alert == nil ? 5 : 10))
            #expect(change.contentState.expanded.batters.count(where: \.onStrike) <= 1)
        }
        let keys = changes.flatMap(\.events).map(\.key)
        #expect(Set(keys).count == keys.count)
    }
}

// `#expect` and `#require` cannot look into a call that changes the machine.

func check(_ holds: Bool, sourceLocation: SourceLocation = #_sourceLocation) {
    #expect(holds, sourceLocation: sourceLocation)
}

func required<T>(_ value: T?, sourceLocation: SourceLocation = #_sourceLocation) throws -> T {
    try #require(value, sourceLocation: sourceLocation)
}

/// Numbers that are the same for the same seed, on every machine.
struct Congruential {
    private var state: UInt64

    init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 &+ 1 }

    mutating func next(_ below: Int) -> Int {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int((state >> 33) % UInt64(below))
    }
}
