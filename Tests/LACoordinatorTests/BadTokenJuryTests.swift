import Testing

@testable import LACoordinator

@Suite struct BadTokenJuryTests {
    private static let second: Int64 = 1_000_000_000

    /// Seconds of answers, good ones before bad ones, which are numbered.
    /// - Returns: those that are believed.
    private func judged(_ seconds: [(good: Int, bad: Int)]) -> [Int] {
        var jury = BadTokenJury<Int>()
        var believed = jury.judge(now: 0)
        var number = 0
        for (index, answers) in seconds.enumerated() {
            for _ in 0..<answers.good { jury.noteGood() }
            for _ in 0..<answers.bad {
                jury.noteBad(number)
                number += 1
            }
            believed += jury.judge(now: Int64(index + 1) * Self.second)
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

    @Test func aMinuteLaterItIsForgotten() {
        let mistake = [(good: 0, bad: 1_000)]
        let quiet = [(good: Int, bad: Int)](repeating: (0, 0), count: 61)
        #expect(judged(mistake + quiet + [(1_000, 1), (0, 0)]) == [1_000])
    }
}
