import Testing

@testable import ScorePoller

@Suite struct CallBudgetTests {
    let start = ContinuousClock.now

    @Test func refusesTheCallAfterTheLastUntilTheHourIsOver() {
        var answer: ContinuousClock.Instant?
        var budget = CallBudget(limit: 2)
        answer = budget.take(at: start)
        #expect(answer == nil)
        answer = budget.take(at: start + .seconds(10))
        #expect(answer == nil)
        answer = budget.take(at: start + .seconds(20))
        #expect(answer == start + .seconds(3_600))
        answer = budget.take(at: start + .seconds(3_599))
        #expect(answer == start + .seconds(3_600))
        answer = budget.take(at: start + .seconds(3_600))
        #expect(answer == nil)
        answer = budget.take(at: start + .seconds(3_601))
        #expect(answer == nil)
        answer = budget.take(at: start + .seconds(3_602))
        #expect(answer == start + .seconds(7_200), "a new hour has its own allowance")
    }

    @Test func hasNoEndWhenTheLimitIsZero() {
        var answer: ContinuousClock.Instant?
        var budget = CallBudget(limit: 0)
        for _ in 0..<10_000 {
            answer = budget.take(at: start)
            #expect(answer == nil)
        }
    }

    @Test func obeysARefusal() {
        var answer: ContinuousClock.Instant?
        var budget = CallBudget(limit: 100)
        answer = budget.take(at: start)
        #expect(answer == nil)
        budget.refused(at: start + .seconds(1), retryAfter: .seconds(7))
        answer = budget.take(at: start + .seconds(7))
        #expect(answer == start + .seconds(8))
        answer = budget.take(at: start + .seconds(8))
        #expect(answer == nil)
        budget.refused(at: start + .seconds(9), retryAfter: nil)
        answer = budget.take(at: start + .seconds(10))
        #expect(answer == start + .seconds(3_600), "without Retry-After the hour is waited out")
    }
}
