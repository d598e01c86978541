import TestKit
import Testing

@testable import FanOut
@testable import LACoordinator

@Suite struct BadTokenDetectorTests {
    private static let second: Int64 = 1_000_000_000

    /// Seconds of answers to proven tokens, good ones before bad ones, which are numbered and each of another account.
    /// - Returns: those that are believed.
    private func judged(_ seconds: [(good: Int, bad: Int)]) -> [Int] {
        var detector = BadTokenDetector<Int>(now: 0)
        var believed = detector.evaluate(now: 0)
        var number = 0
        for (index, answers) in seconds.enumerated() {
            for _ in 0..<answers.good { detector.noteGood(isProven: true) }
            for _ in 0..<answers.bad {
                detector.noteBad(number, of: UInt64(number), isProven: true)
                number += 1
            }
            believed += detector.evaluate(now: Int64(index + 1) * Self.second)
        }
        return believed
    }

    @Test func aFewBadTokensAreBelievedOneSecondLater() {
        #expect(judged([(1_000, 3)]).isEmpty)
        #expect(judged([(1_000, 3), (0, 0)]) == [0, 1, 2])
        #expect(judged([(1_000, 0), (0, 1), (0, 0)]) == [0])
        #expect(judged([(0, 1), (1_000, 2), (1_000, 0)]) == [0, 1, 2])
    }

    @Test func noneIsBelievedWhenItIsAMistakeOfOurs() {
        #expect(judged([(0, 1_000), (0, 1_000), (0, 0)]).isEmpty)
        #expect(judged([(700, 300), (0, 0)]).isEmpty)
        #expect(judged([(100, 5), (100, 6), (0, 0)]).isEmpty)
        #expect(judged([(100, 5), (100, 5), (100, 0)]).count == 10)
    }

    /// It begins in the middle of a second that was fine.
    @Test func whatWasFineBeforeDoesNotVouchForAMistake() {
        let fine = [(good: Int, bad: Int)](repeating: (10_000, 0), count: 5)
        #expect(judged(fine + [(9_700, 300), (0, 10_000), (0, 10_000), (0, 0)]).isEmpty)
    }

    @Test func aMistakeThatComesSlowlyIsNoticedToo() {
        #expect(judged([(good: Int, bad: Int)](repeating: (0, 15), count: 20) + [(0, 0)]).isEmpty)
        // After a minute that was fine.
        let slow = [(good: Int, bad: Int)](repeating: (0, 1), count: 60)
        #expect(judged([(10_000, 0)] + slow).count == 1)
    }

    /// A small match whose hosts are mixed up.
    @Test(arguments: [1, 2, 39])
    func fewBadAnswersAloneProveNothing(bad: Int) {
        let quiet = [(good: Int, bad: Int)](repeating: (0, 0), count: 59)
        let minute = [(good: 0, bad: bad)] + quiet
        #expect(judged((0..<10).flatMap { _ in minute }).isEmpty)
    }

    @Test func ofFewAnswersOneIsBelievedBesideAsManyGoodOnes() {
        #expect(judged([(1, 1), (0, 0)]) == [0])
        #expect(judged([(1, 2), (0, 0)]).isEmpty)
        #expect(judged([(30, 9), (0, 0)]) == [0])
        // And no other in that minute.
        #expect(judged([(3, 1), (3, 1), (0, 0), (3, 1), (0, 0)]) == [0])
        let quiet = [(good: Int, bad: Int)](repeating: (0, 0), count: 60)
        #expect(judged([(3, 1), (0, 0)] + quiet + [(3, 1), (0, 0)]) == [0, 1])
    }

    /// A second of answers for each; those to tokens that were never proven are numbered from 1,000 on.
    private func believed(_ seconds: [(good: Int, bad: Int, invented: Int)]) -> [Int] {
        var detector = BadTokenDetector<Int>(now: 0)
        var believed = detector.evaluate(now: 0)
        for (index, answers) in seconds.enumerated() {
            for _ in 0..<answers.good { detector.noteGood(isProven: true) }
            for number in 0..<answers.bad { detector.noteBad(number, of: UInt64(number), isProven: true) }
            for number in 0..<answers.invented { detector.noteBad(1_000 + number, of: 7, isProven: false) }
            believed += detector.evaluate(now: Int64(index + 1) * Self.second)
        }
        return believed
    }

    /// Six accounts with sixty invented tokens kept every dead token alive.
    @Test func whatSomebodyInventsProtectsNoDeadToken() {
        #expect(believed([(100, 1, 360), (0, 0, 0)]).first == 0)
        let believed = believed(
            [(100, 0, 360)] + [(good: Int, bad: Int, invented: Int)](repeating: (0, 0, 360), count: 59))
        #expect(believed.count == 100 && believed.allSatisfy { $0 >= 1_000 })
    }

    @Test func unprovenTokensGoOnlyWhereProvenOnesAreTaken() {
        #expect(believed([(0, 0, 50), (0, 0, 0)]).isEmpty)
        #expect(believed([(0, 100, 50), (0, 0, 0)]).isEmpty)
        #expect(believed([(100, 6, 50), (0, 0, 0)]).isEmpty)
        #expect(believed([(100, 5, 50), (0, 0, 0)]).count { $0 >= 1_000 } == 50)
        // Few answers: one.
        #expect(believed([(3, 0, 50), (0, 0, 50), (0, 0, 0)]) == [1_000])
        // What a host takes that was never proven says nothing.
        var detector = BadTokenDetector<Int>(now: 0)
        _ = detector.evaluate(now: 0)
        for _ in 0..<1_000 { detector.noteGood(isProven: false) }
        detector.noteBad(1, of: 1, isProven: false)
        #expect(detector.evaluate(now: Self.second).isEmpty && detector.evaluate(now: 2 * Self.second).isEmpty)
    }

    /// Half of the phones, or a third, are on the wrong host, and are asked again after 30 to 60 s, while the others
    /// are sent many versions: in no minute does the mistake look small.
    @Test(arguments: [(500, 500, 6), (600, 300, 1), (60, 60, 6), (950, 51, 6)])
    func aMistakeAboutSomePhonesRetiresNone(good: Int, bad: Int, every: Int) {
        var detector = BadTokenDetector<Int>(now: 0)
        var dueAt = [Int](repeating: 0, count: bad)
        var random = SeededGenerator(seed: 7)
        var believed = 0
        for second in 0..<300 {
            believed += detector.evaluate(now: Int64(second) * Self.second, phones: good + bad).count
            if second.isMultiple(of: every) { for _ in 0..<good { detector.noteGood(isProven: true) } }
            for phone in 0..<bad where dueAt[phone] <= second {
                detector.noteBad(phone, of: UInt64(phone), isProven: true)
                dueAt[phone] = second + Int.random(in: 30...60, using: &random)
            }
        }
        #expect(believed == 0)
    }

    /// A production address that is the sandbox, and a few phones that it takes: for two hours, with the waits of a
    /// phone whose token is never taken.
    @Test(arguments: [(1, 2), (8, 60), (200, 1_000)])
    func aFewPhonesThatAreTakenCostTheOthersNothing(proven: Int, unproven: Int) {
        var detector = BadTokenDetector<Int>(now: 0)
        var dueAt = [Int](repeating: 0, count: unproven)
        var waits = [Double](repeating: 60, count: unproven)
        let longest = BadTokenDetector<Int>.unprovenWait / .seconds(1)
        var random = SeededGenerator(seed: 7)
        var believed = 0
        for second in 0..<7_200 {
            believed += detector.evaluate(now: Int64(second) * Self.second, phones: proven).count
            if second.isMultiple(of: 6) { for _ in 0..<proven { detector.noteGood(isProven: true) } }
            for account in 0..<unproven where dueAt[account] <= second {
                detector.noteBad(account, of: UInt64(account), isProven: false)
                dueAt[account] = second + Int(waits[account] * Double.random(in: 0.5...1, using: &random)) + 6
                waits[account] = min(waits[account] * 2, longest)
            }
        }
        #expect(believed == 0)
    }

    /// However many phones a loop has.
    @Test func aMistakeAboutManyPhonesIsOneToo() {
        var detector = BadTokenDetector<Int>(now: 0)
        var believed = 0
        for second in 0..<70 {
            believed += detector.evaluate(now: Int64(second) * Self.second, phones: 250_000).count
            for _ in 0..<200_000 { detector.noteGood(isProven: true) }
            guard second < 60 else { continue }
            for number in 0..<500 { detector.noteBad(number, of: UInt64(second * 500 + number), isProven: true) }
        }
        // Once one in twenty of the phones are called bad, no more go.
        #expect(believed <= 12_500)
    }

    @Test func aPhoneWithAnotherTokenByThenIsNotRetired() {
        var detector = BadTokenDetector<Int>(now: 0)
        _ = detector.evaluate(now: 0)
        for _ in 0..<1_000 { detector.noteGood(isProven: true) }
        for number in 0..<300 { detector.noteBad(number, of: UInt64(number % 5), isProven: false) }
        _ = detector.evaluate(now: Self.second)
        #expect(detector.evaluate(now: 2 * Self.second) { $0 >= 250 } == Array(250..<300))
    }

    @Test func ofAnAccountOneBadAnswerAMinuteCounts() {
        var detector = BadTokenDetector<Int>(now: 0)
        _ = detector.evaluate(now: 0)
        for _ in 0..<100 { detector.noteGood(isProven: true) }
        for number in 0..<10 { detector.noteBad(number, of: 7, isProven: true) }
        _ = detector.evaluate(now: Self.second)
        #expect(detector.evaluate(now: 2 * Self.second).count == 10)
    }

    @Test func aMinuteLaterItIsForgotten() {
        let mistake = [(good: 0, bad: 1_000)]
        let quiet = [(good: Int, bad: Int)](repeating: (0, 0), count: 66)
        #expect(judged(mistake + quiet + [(1_000, 1), (0, 0)]) == [1_000])
    }
}
