import Testing

@testable import ScorePoller

@Suite struct AnsweredTimeTests {
    @Test func onlyTimeBetweenTwoAnswersCounts() {
        var time = AnsweredTime()
        time.answered(at: 1_000)
        #expect(time.milliseconds == 0)
        time.answered(at: 6_000)
        #expect(time.milliseconds == 5_000)
        // A failure, a 429, a used-up allowance.
        time.stopped()
        time.answered(at: 100_000)
        #expect(time.milliseconds == 5_000)
        time.answered(at: 160_000)
        #expect(time.milliseconds == 65_000)
        // The clock may go back.
        time.answered(at: 150_000)
        #expect(time.milliseconds == 65_000)
    }
}
