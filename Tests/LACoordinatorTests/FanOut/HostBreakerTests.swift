import Testing

@testable import FanOut
@testable import LACoordinator

@Suite struct HostBreakerTests {
    private static let second: Int64 = 1_000_000_000

    /// A value that changes cannot be asked within `#expect`.
    private final class Subject {
        private(set) var breaker = HostBreaker()
        var cause: HostBreaker.Cause? { breaker.cause }
        func allowsPush(_ now: Int64) -> Bool { breaker.allowsPush(now) }
        func sent(_ tag: Int) { breaker.sent(tag) }
        func noteSuccess(_ tag: Int, isAccepted: Bool = true, now: Int64 = 0) -> Bool {
            breaker.noteSuccess(tag, isAccepted: isAccepted, now: now)
        }
        func noteError(_ tag: Int, retryAfter: Int? = nil, now: Int64 = 0) -> Bool {
            breaker.noteError(tag, retryAfter: retryAfter, now: now)
        }
        func stop(for cause: HostBreaker.Cause, _ tag: Int, now: Int64) -> Bool {
            breaker.stop(for: cause, tag, now: now)
        }
        func lost(_ tag: Int, now: Int64) { breaker.lost(tag, now: now) }
        func resume() { breaker.resume() }
    }

    private static func stopped() -> Subject {
        let breaker = Subject()
        for tag in 0..<96 { _ = breaker.noteError(tag) }
        return breaker
    }

    @Test func threeInFourErrorsStopTheHost() {
        let breaker = Subject()
        for tag in 0..<95 { #expect(!breaker.noteError(tag)) }
        #expect(breaker.allowsPush(0))
        #expect(breaker.noteError(95))
        #expect(breaker.cause == .serverErrors)
        #expect(!breaker.allowsPush(0))
        #expect(!breaker.noteError(96), "it is said once")
    }

    @Test func halfTheAnswersAreWorthGoingOn() {
        let breaker = Subject()
        for tag in 0..<10_000 {
            if tag.isMultiple(of: 2) {
                #expect(!breaker.noteError(tag))
            } else {
                #expect(!breaker.noteSuccess(tag))
            }
        }
        #expect(breaker.cause == nil)
    }

    @Test func onePushAtATimeAsks() {
        let breaker = Self.stopped()
        #expect(!breaker.allowsPush(Self.second / 4))
        #expect(breaker.allowsPush(Self.second / 2))
        breaker.sent(7)
        #expect(!breaker.allowsPush(Self.second * 100), "until it is answered")
        #expect(!breaker.noteSuccess(8), "one of before says nothing")
        #expect(breaker.cause != nil)
        #expect(!breaker.noteError(7, now: Self.second))
        #expect(!breaker.allowsPush(Self.second + Self.second * 3 / 4 - 1), "the wait doubles")
        #expect(breaker.allowsPush(Self.second * 2))
        breaker.sent(9)
        #expect(breaker.noteSuccess(9))
        #expect(breaker.allowsPush(Self.second * 2))
        for tag in 0..<95 { _ = breaker.noteError(tag) }
        #expect(breaker.cause == nil, "the errors of before are forgotten")
    }

    @Test func aPushThatIsNotAnsweredAsksNothing() {
        let breaker = Self.stopped()
        breaker.sent(7)
        breaker.lost(6, now: Self.second)
        #expect(!breaker.allowsPush(Self.second * 10))
        breaker.lost(7, now: Self.second)
        #expect(!breaker.allowsPush(Self.second))
        #expect(breaker.allowsPush(Self.second * 2))
    }

    @Test func itWaitsAsLongAsItIsAskedTo() {
        let breaker = Subject()
        for tag in 0..<96 { _ = breaker.noteError(tag, retryAfter: tag == 95 ? 30 : nil, now: 0) }
        #expect(!breaker.allowsPush(29 * Self.second))
        #expect(breaker.allowsPush(30 * Self.second))
        breaker.sent(7)
        _ = breaker.noteError(7, retryAfter: 1_000_000, now: 30 * Self.second)
        #expect(breaker.allowsPush(930 * Self.second), "but no longer than a quarter of an hour")
    }

    /// A dead token is no word about the topic; about the key it is.
    @Test func onlyAnAcceptedPushSaysThatTheTopicIsRight() {
        for (cause, resumes) in [(HostBreaker.Cause.topic, false), (.refusal, true)] {
            let breaker = Subject()
            #expect(breaker.stop(for: cause, 1, now: 0))
            breaker.sent(2)
            #expect(breaker.noteSuccess(2, isAccepted: false, now: 60 * Self.second) == resumes)
            #expect(breaker.allowsPush(60 * Self.second) == resumes)
            #expect(breaker.allowsPush(61 * Self.second), "the next one asks a second later")
            breaker.sent(3)
            #expect(breaker.noteSuccess(3, now: 61 * Self.second) != resumes)
            #expect(breaker.cause == nil)
        }
    }

    @Test(arguments: [(HostBreaker.Cause.providerToken, 3, 5), (.topic, 3, 5), (.refusal, 45, 60)])
    func everyCauseHasItsWait(cause: HostBreaker.Cause, least: Int64, most: Int64) {
        let breaker = Subject()
        #expect(breaker.stop(for: cause, 1, now: 0))
        #expect(!breaker.stop(for: cause, 2, now: 0), "what was under way says it, too")
        #expect(!breaker.allowsPush(least * Self.second))
        #expect(breaker.allowsPush(most * Self.second))
        breaker.sent(3)
        #expect(breaker.stop(for: cause, 3, now: most * Self.second), "the one that asked: it is news")
        #expect(!breaker.allowsPush(most * Self.second))
        breaker.resume()
        #expect(breaker.allowsPush(0))
    }
}
