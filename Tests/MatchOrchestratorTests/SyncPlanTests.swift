import Testing

@testable import MatchOrchestrator

@Suite struct SyncPlanTests {
    private let start = ContinuousClock.now
    private let noon = 1_800_000_000

    private func days(_ span: SyncPlan.Span?) -> ClosedRange<Int>? {
        span.map { ($0.from - noon) / SyncPlan.day...($0.to - noon) / SyncPlan.day }
    }

    @Test func asksForEverythingFirstAndThenForTheDaysAroundNow() throws {
        var plan = SyncPlan(hourlyLimit: 0)
        let first = try #require(plan.next(at: start, seconds: noon))
        #expect(days(first) == -7...15)
        plan.finished(first, calls: 5, succeeded: true, at: start)
        let second = try #require(plan.next(at: start, seconds: noon))
        #expect(days(second) == -2...2)
        plan.finished(second, calls: 1, succeeded: true, at: start)
        #expect(days(plan.next(at: start + .seconds(599), seconds: noon)) == -2...2)
        #expect(days(plan.next(at: start + .seconds(600), seconds: noon)) == -7...15)
    }

    @Test func asksForTheDaysAroundNowWhenAllOfThemFail() throws {
        var plan = SyncPlan(hourlyLimit: 0)
        let first = try #require(plan.next(at: start, seconds: noon))
        plan.finished(first, calls: 1, succeeded: false, at: start)
        let second = try #require(plan.next(at: start, seconds: noon))
        #expect(days(second) == -2...2)
        // Whether those succeed or not, all days have their turn.
        plan.finished(second, calls: 1, succeeded: false, at: start)
        #expect(days(plan.next(at: start + .seconds(119), seconds: noon)) == -2...2)
        #expect(days(plan.next(at: start + .seconds(120), seconds: noon)) == -7...15)
    }

    @Test func usesHalfOfTheProvidersLimit() throws {
        // 1,000 calls an hour are ours: 3.6 s for each.
        var plan = SyncPlan(hourlyLimit: 2_000)
        let span = try #require(plan.next(at: start, seconds: noon))
        plan.finished(span, calls: 5, succeeded: true, at: start)
        #expect(plan.next(at: start + .milliseconds(17_900), seconds: noon) == nil)
        #expect(plan.next(at: start + .milliseconds(18_100), seconds: noon) != nil)
    }

    @Test func judgesNoDayAtTheEdge() {
        let span = SyncPlan.Span(from: 0, to: 10 * SyncPlan.day)
        #expect(span.checkedFrom == SyncPlan.day)
        #expect(span.checkedTo == 9 * SyncPlan.day)
    }
}
