import Testing

@testable import ScorePoller

@Suite struct CircuitBreakerTests {
    let start = ContinuousClock.now

    private func opened() -> CircuitBreaker {
        var breaker = CircuitBreaker()
        for _ in 0..<CircuitBreaker.failuresMax { breaker.failed(at: start, isLive: false) }
        return breaker
    }

    @Test func opensAfterFailuresInARowOnly() {
        var allowed: Bool
        var breaker = CircuitBreaker()
        for _ in 1..<CircuitBreaker.failuresMax { breaker.failed(at: start, isLive: false) }
        breaker.succeeded()
        for _ in 1..<CircuitBreaker.failuresMax { breaker.failed(at: start, isLive: false) }
        allowed = breaker.allowsCall(at: start)
        #expect(allowed)
        breaker.failed(at: start, isLive: false)
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
        breaker.failed(at: start + .seconds(6), isLive: false)
        #expect(breaker.state == .closed, "failures are counted from nothing")
    }

    @Test(arguments: [
        (isLive: false, waits: [5, 10, 20, 40, 60, 60]), (isLive: true, waits: [5, 5, 5, 5, 5, 5]),
    ])
    func waitsTwiceAsLongAfterEachFailedTrialUpToAMinuteUnlessAMatchIsLive(isLive: Bool, waits: [Int]) {
        var breaker = opened()
        var now = start
        var seen: [Duration] = []
        for _ in waits {
            guard case .open(let until) = breaker.state else { break }
            seen.append(until - now)
            now = until
            let allowed = breaker.allowsCall(at: now)
            #expect(allowed)
            breaker.failed(at: now, isLive: isLive)
        }
        #expect(seen == waits.map { .seconds($0) })
    }

    @Test func aWaitThatGrewWithoutAMatchIsCutShortWhenOneIsLive() {
        var breaker = opened()
        for _ in 0..<4 {
            guard case .open(let until) = breaker.state else { break }
            _ = breaker.allowsCall(at: until)
            breaker.failed(at: start, isLive: false)
        }
        #expect(breaker.closedUntil(at: start) == start + .seconds(60))
        _ = breaker.allowsCall(at: start + .seconds(60))
        breaker.failed(at: start + .seconds(60), isLive: true)
        #expect(breaker.closedUntil(at: start + .seconds(60)) == start + .seconds(65))
    }
}
