import Testing

@testable import ScorePoller

@Suite struct CircuitBreakerTests {
    let start = ContinuousClock.now

    private func opened() -> CircuitBreaker {
        var breaker = CircuitBreaker()
        for _ in 0..<CircuitBreaker.failuresMax { breaker.failed(at: start) }
        return breaker
    }

    @Test func opensAfterFailuresInARowOnly() {
        var allowed: Bool
        var breaker = CircuitBreaker()
        for _ in 1..<CircuitBreaker.failuresMax { breaker.failed(at: start) }
        breaker.succeeded()
        for _ in 1..<CircuitBreaker.failuresMax { breaker.failed(at: start) }
        allowed = breaker.allowsCall(at: start)
        #expect(allowed)
        breaker.failed(at: start)
        allowed = breaker.allowsCall(at: start)
        #expect(!allowed)
        #expect(breaker.state == .open(until: start + .seconds(5)))
    }

    @Test func makesOneTrialCallAndClosesWhenItSucceeds() {
        var allowed: Bool
        var breaker = opened()
        allowed = breaker.allowsCall(at: start + .milliseconds(4_999))
        #expect(!allowed)
        allowed = breaker.allowsCall(at: start + .seconds(5))
        #expect(allowed)
        allowed = breaker.allowsCall(at: start + .seconds(6))
        #expect(!allowed, "only one trial")
        breaker.succeeded()
        allowed = breaker.allowsCall(at: start + .seconds(6))
        #expect(allowed)
        breaker.failed(at: start + .seconds(6))
        #expect(breaker.state == .closed, "failures are counted from nothing")
    }

    @Test func waitsTwiceAsLongAfterEachFailedTrialUpToAMinute() {
        var breaker = opened()
        var now = start
        var waits: [Duration] = []
        for _ in 0..<6 {
            guard case .open(let until) = breaker.state else { break }
            waits.append(until - now)
            now = until
            let allowed = breaker.allowsCall(at: now)
            #expect(allowed)
            breaker.failed(at: now)
        }
        #expect(waits == [5, 10, 20, 40, 60, 60].map { .seconds($0) })
    }
}
