import Testing

@testable import ScorePoller

@Suite struct CallBudgetTests {
    let start = ContinuousClock.now

    @Test func refusesTheCallAfterTheLastUntilTheHourIsOver() {
        var budget = CallBudget(limit: 2)
        #expect(budget.take(at: start) == nil)
        #expect(budget.take(at: start + .seconds(10)) == nil)
        #expect(budget.take(at: start + .seconds(20)) == start + .seconds(3_600))
        #expect(budget.take(at: start + .seconds(3_599)) == start + .seconds(3_600))
        #expect(budget.take(at: start + .seconds(3_600)) == nil)
        #expect(budget.take(at: start + .seconds(3_601)) == nil)
        #expect(budget.take(at: start + .seconds(3_602)) == start + .seconds(7_200), "a new hour has its own allowance")
    }

    @Test func hasNoEndWhenTheLimitIsZero() {
        var budget = CallBudget(limit: 0)
        for _ in 0..<10_000 { #expect(budget.take(at: start) == nil) }
    }

    @Test func obeysARefusal() {
        var budget = CallBudget(limit: 100)
        #expect(budget.take(at: start) == nil)
        budget.refused(at: start + .seconds(1), retryAfter: .seconds(7))
        #expect(budget.take(at: start + .seconds(7)) == start + .seconds(8))
        #expect(budget.take(at: start + .seconds(8)) == nil)
        budget.refused(at: start + .seconds(9), retryAfter: nil)
        #expect(budget.take(at: start + .seconds(10)) == start + .seconds(3_600), "without Retry-After the hour is waited out")
    }
}
