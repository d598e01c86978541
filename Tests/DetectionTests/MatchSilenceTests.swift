import Cricket
import SightscreenModels
import TestKit
import Testing

@testable import Detection

/// A match that the provider repeats without a change.
@Suite struct MatchSilenceTests {
    private static let minute: Int64 = 60_000
    private static let hour: Int64 = 3_600_000

    struct Limit: Sendable, CustomTestStringConvertible {
        var phase: MatchPhase
        var isListed: Bool
        /// Minutes; nil when it is never ended for its silence.
        var minutes: Int64?
        init(_ phase: MatchPhase, _ isListed: Bool, _ minutes: Int64?) {
            (self.phase, self.isListed, self.minutes) = (phase, isListed, minutes)
        }
        var testDescription: String {
            "\(phase), \(isListed ? "listed" : "gone"): \(minutes.map(String.init) ?? "never")"
        }
    }

    @Test(arguments: [
        Limit(.innings(2), true, 120), Limit(.innings(2), false, 30), Limit(.unknown("Drinks"), true, 120),
        Limit(.inningsBreak, true, 360), Limit(.inningsBreak, false, 360), Limit(.lunch, true, 360),
        Limit(.tea, false, 360), Limit(.dinner, true, 360), Limit(.interrupted, true, 360),
        Limit(.interrupted, false, 30), Limit(.stumps(day: 2), true, nil), Limit(.stumps(day: 2), false, nil),
        Limit(.notStarted, true, nil), Limit(.delayed, true, nil), Limit(.finished, true, nil),
    ])
    func waitsByPhaseAndList(_ limit: Limit) {
        var silence = MatchSilence()
        func isTooLong() -> Bool { silence.isTooLong(in: limit.phase, inPlay: 120 * Self.minute) }
        func word(_ minute: Int64) -> MatchSilence.Word {
            .init(answeredMs: minute * Self.minute, isListed: limit.isListed)
        }
        silence.note(word(0), fetchedAt: 0, isChanged: true)
        let minutes = (1...3_000).first { minute in
            silence.note(word(Int64(minute)), fetchedAt: Int64(minute) * Self.minute, isChanged: false)
            return isTooLong()
        }
        #expect(minutes.map { Int64($0) } == limit.minutes)
    }

    /// After an hour of rain a match is not on the list once.
    @Test func timeOnTheListDoesNotCountAsTimeAwayFromIt() {
        var silence = MatchSilence()
        for minute in Int64(0)...100 {
            let isListed = minute < 60 || minute == 80
            silence.note(
                .init(answeredMs: minute * Self.minute, isListed: isListed), fetchedAt: minute * Self.minute,
                isChanged: minute == 0)
            #expect(!silence.isTooLong(in: .interrupted, inPlay: 120 * Self.minute))
        }
    }

    /// A poller that is answered every 30 s.
    private struct Feed {
        var book: TestScorebook
        var machine: MatchMachine
        var at: Int64
        var answeredMs: Int64 = 0
        var isListed = true

        init(_ book: TestScorebook) {
            self.book = book
            machine = MatchMachine(matchID: book.snapshot.id)
            at = book.fetchedAt
        }

        /// Offers the match as it stands for a time, and returns the changes with the minutes after which they came.
        mutating func goesOn(for duration: Int64, isAnswered: Bool = true) -> [(minutes: Int64, change: MatchChange)] {
            var changes: [(Int64, MatchChange)] = []
            let began = at
            while at < began + duration {
                at += 30_000
                if isAnswered {
                    answeredMs += 30_000
                    if let change = machine.apply(
                        book.snapshot, fetchedAt: at, word: .init(answeredMs: answeredMs, isListed: isListed), now: at)
                    {
                        changes.append(((at - began) / 60_000, change))
                    }
                }
                if let change = machine.tick(now: at) { changes.append(((at - began) / 60_000, change)) }
            }
            return changes
        }
    }

    private func inPlay(_ balls: String = "1 4", format: MatchFormat = .twenty20, overs: Int? = 20) -> Feed {
        var book = TestScorebook(format: format, overs: overs)
        book.startInnings(batting: 1)
        book.bowl(balls)
        var feed = Feed(book)
        _ = feed.goesOn(for: Self.minute)
        return feed
    }

    @Test func aMatchInPlayThatNobodyReportsEndsAfterTwoHoursWithoutAWord() throws {
        var feed = inPlay()
        let changedAt = Int((feed.at - Self.minute + 30_000) / 1_000)
        let changes = feed.goesOn(for: 5 * Self.hour)
        let silent = try required(changes.first { $0.change.isSilent })
        #expect((118...120).contains(silent.minutes))
        #expect(silent.change.alert == nil && silent.change.priority == 5 && !silent.change.isSettled)
        #expect(silent.change.contentState.expanded.status == "No news")
        #expect(silent.change.contentState.expanded.asOf == changedAt)
        #expect(changes.last?.minutes == silent.minutes, "nothing comes after it, no keep-alive either")
    }

    @Test func onlyAChangeOpensItAgain() throws {
        var feed = inPlay()
        #expect(feed.goesOn(for: 3 * Self.hour).last?.change.isSilent == true)
        feed.book.bowl("W")
        let change = try required(feed.goesOn(for: 30_000).first?.change)
        #expect(!change.isSilent && change.contentState.expanded.status == nil)
        #expect(change.contentState.expanded.asOf == nil)
        #expect(feed.goesOn(for: Self.hour).allSatisfy { !$0.change.isSilent }, "its time begins anew")
    }

    /// An outage, a 429, a budget that is used up: the poller does not count them.
    @Test func timeWithoutAnAnswerIsNoSilence() {
        var feed = inPlay()
        #expect(feed.goesOn(for: 10 * Self.hour, isAnswered: false).allSatisfy { !$0.change.isSilent })
        #expect(feed.goesOn(for: Self.hour).allSatisfy { !$0.change.isSilent })
        // Another poller counts from its own beginning, whatever it counted before.
        feed.answeredMs = 50 * Self.hour
        #expect(feed.goesOn(for: 50 * Self.minute).allSatisfy { !$0.change.isSilent })
        feed.answeredMs = 0
        #expect(feed.goesOn(for: 20 * Self.minute).last?.change.isSilent == true)
    }

    @Test func aMatchThatLeftTheListEndsAfterHalfAnHour() throws {
        var feed = inPlay()
        feed.isListed = false
        let silent = try required(feed.goesOn(for: Self.hour).first { $0.change.isSilent })
        #expect((28...30).contains(silent.minutes))
    }

    @Test func rainAndTheNightAreLonger() throws {
        var feed = inPlay(format: .firstClass, overs: nil)
        feed.book.snapshot.phase = .interrupted
        #expect(feed.goesOn(for: 5 * Self.hour).allSatisfy { !$0.change.isSilent })
        #expect(feed.goesOn(for: 2 * Self.hour).contains { $0.change.isSilent })
        feed.book.snapshot.phase = .stumps(day: 1)
        #expect(feed.goesOn(for: 40 * Self.hour).allSatisfy { !$0.change.isSilent })
    }

    /// The chasing side is all out, and the status stays "2nd Innings".
    private func decided() -> Feed {
        var book = TestScorebook(overs: 1)
        book.startInnings(batting: 2)
        book.bowl("1 1 1 1 1 1")
        book.startInnings(batting: 1)
        book.bowl("1 1 1 0 0 0")
        var feed = Feed(book)
        _ = feed.goesOn(for: Self.minute)
        return feed
    }

    @Test func runsThatDecideAreTheResultAfterAnHour() throws {
        var feed = decided()
        #expect(feed.book.snapshot.phase == .innings(2))
        let changes = feed.goesOn(for: 10 * Self.hour)
        let settled = try required(changes.first { $0.change.isSettled })
        #expect((58...60).contains(settled.minutes))
        #expect(settled.change.alert == nil, "nobody is alerted after an hour")
        #expect(settled.change.displayState == .completed)
        #expect(settled.change.contentState.expanded.outcome?.winnerAbbr == "CSK")
        #expect(settled.change.contentState.expanded.status == "Chennai Super Kings won by 3 runs")
        #expect(settled.change.events.map(\.kind) == [.matchResult])
        #expect(changes.last?.minutes == settled.minutes, "it stands")
        // Now the provider says it, too: that is no news.
        feed.book.snapshot.phase = .finished
        feed.book.snapshot.winnerID = 2
        feed.book.snapshot.note = "Chennai Super Kings won by 3 runs"
        #expect(feed.goesOn(for: Self.hour).allSatisfy { $0.change.alert == nil && $0.change.isSettled })
    }

    /// The provider counts on after all: the result goes, and nobody was told it.
    @Test func aResultByRunsGoesWithoutACorrectionWhenPlayGoesOn() throws {
        var feed = decided()
        _ = feed.goesOn(for: 2 * Self.hour)
        feed.book.snapshot.innings[1].runs += 3
        feed.book.snapshot.revisedTarget = 20
        feed.book.snapshot.revisedOvers = Overs(completed: 5, balls: 0)
        let change = try required(feed.goesOn(for: Self.minute).first?.change)
        #expect(!change.isSettled && change.displayState == .live)
        #expect(feed.goesOn(for: Self.minute).allSatisfy { $0.change.alert?.kind != .correction })
    }

    @Test func whatAnOperatorEndsIsEndedAtOnce() throws {
        var feed = inPlay()
        let change = try required(feed.machine.endByHand(now: feed.at))
        #expect(change.isSilent && change.alert == nil && change.contentState.expanded.status == "No news")
        check(feed.machine.endByHand(now: feed.at) == nil)
        #expect(feed.goesOn(for: Self.hour).isEmpty)
        feed.book.bowl("1")
        #expect(feed.goesOn(for: Self.minute).first?.change.isSilent == false)
    }
}
