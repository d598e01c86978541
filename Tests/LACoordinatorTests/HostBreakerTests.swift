import Testing

@testable import FanOut
@testable import LACoordinator

@Suite struct HostBreakerTests {
    private static let second: Int64 = 1_000_000_000

    /// A value that changes cannot be asked within `#expect`.
    private final class Subject {
        private(set) var breaker = HostBreaker()
        var cause: HostBreaker.Cause? { breaker.cause }
        func letsThrough(_ now: Int64) -> Bool { breaker.letsThrough(now) }
        func sent(_ tag: Int) { breaker.sent(tag) }
        func answeredWell(_ tag: Int) -> Bool { breaker.answeredWell(tag) }
        func answeredWithError(_ tag: Int, retryAfter: Int? = nil, now: Int64 = 0) -> Bool {
            breaker.answeredWithError(tag, retryAfter: retryAfter, now: now)
        }
        func stop(for cause: HostBreaker.Cause, _ tag: Int, now: Int64) -> Bool {
            breaker.stop(for: cause, tag, now: now)
        }
        func lost(_ tag: Int, now: Int64) { breaker.lost(tag, now: now) }
        func resume() { breaker.resume() }
    }

    private static func stopped() -> Subject {
        let breaker = Subject()
        for tag in 0..<96 { _ = breaker.answeredWithError(tag) }
        return breaker
    }

    @Test func threeInFourErrorsStopTheHost() {
        let breaker = Subject()
        for tag in 0..<95 { #expect(!breaker.answeredWithError(tag)) }
        #expect(breaker.letsThrough(0))
        #expect(breaker.answeredWithError(95))
        #expect(breaker.cause == .serverErrors)
        #expect(!breaker.letsThrough(0))
        #expect(!breaker.answeredWithError(96), "it is said once")
    }

    @Test func halfTheAnswersAreWorthGoingOn() {
        let breaker = Subject()
        for tag in 0..<10_000 {
            if tag.isMultiple(of: 2) {
                #expect(!breaker.answeredWithError(tag))
            } else {
                #expect(!breaker.answeredWell(tag))
            }
        }
        #expect(breaker.cause == nil)
    }

    @Test func onePushAtATimeAsks() {
        let breaker = Self.stopped()
        #expect(!breaker.letsThrough(Self.second / 4))
        #expect(breaker.letsThrough(Self.second / 2))
        breaker.sent(7)
        #expect(!breaker.letsThrough(Self.second * 100), "until it is answered")
        #expect(!breaker.answeredWell(8), "one of before says nothing")
        #expect(breaker.cause != nil)
        #expect(!breaker.answeredWithError(7, now: Self.second))
        #expect(!breaker.letsThrough(Self.second + Self.second * 3 / 4 - 1), "the wait doubles")
        #expect(breaker.letsThrough(Self.second * 2))
        breaker.sent(9)
        #expect(breaker.answeredWell(9))
        #expect(breaker.letsThrough(Self.second * 2))
        for tag in 0..<95 { _ = breaker.answeredWithError(tag) }
        #expect(breaker.cause == nil, "the errors of before are forgotten")
    }

    @Test func aPushThatIsNotAnsweredAsksNothing() {
        let breaker = Self.stopped()
        breaker.sent(7)
        breaker.lost(6, now: Self.second)
        #expect(!breaker.letsThrough(Self.second * 10))
        breaker.lost(7, now: Self.second)
        #expect(!breaker.letsThrough(Self.second))
        #expect(breaker.letsThrough(Self.second * 2))
    }

    @Test func itWaitsAsLongAsItIsAskedTo() {
        let breaker = Subject()
        for tag in 0..<96 { _ = breaker.answeredWithError(tag, retryAfter: tag == 95 ? 30 : nil, now: 0) }
        #expect(!breaker.letsThrough(29 * Self.second))
        #expect(breaker.letsThrough(30 * Self.second))
        breaker.sent(7)
        _ = breaker.answeredWithError(7, retryAfter: 1_000_000, now: 30 * Self.second)
        #expect(breaker.letsThrough(930 * Self.second), "but no longer than a quarter of an hour")
    }

    @Test(arguments: [(HostBreaker.Cause.providerToken, 3, 5), (.refusal, 45, 60)])
    func everyCauseHasItsWait(cause: HostBreaker.Cause, least: Int64, most: Int64) {
        let breaker = Subject()
        #expect(breaker.stop(for: cause, 1, now: 0))
        #expect(!breaker.stop(for: cause, 2, now: 0), "what was under way says it, too")
        #expect(!breaker.letsThrough(least * Self.second))
        #expect(breaker.letsThrough(most * Self.second))
        breaker.sent(3)
        #expect(breaker.stop(for: cause, 3, now: most * Self.second), "the one that asked: it is news")
        #expect(!breaker.letsThrough(most * Self.second))
        breaker.resume()
        #expect(breaker.letsThrough(0))
    }
}
