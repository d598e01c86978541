import TestKit
import Testing

@testable import ScorePoller

/// A poller's breaker, backoff and pacing together on a virtual clock, against a provider that comes and goes.
@Suite struct FailingProviderTests {
    struct Run {
        /// Since the start, of calls and of those that were answered.
        var calls: [Duration] = []
        var answers: [Duration] = []

        var pauses: [Duration] { zip(calls, calls.dropFirst()).map { $1 - $0 } }
        var longestSilence: Duration { zip(answers, answers.dropFirst()).map { $1 - $0 }.max() ?? .seconds(3_600) }
    }

    /// An hour of polls as `GroupPoller` makes them.
    /// - Parameters:
    ///   - isAway: whether a call at that moment fails.
    ///   - failureTakes: a refused call returns at once, one that hangs when its time is up.
    static func hour(
        interval usual: Duration, limit: Int = 2_000, failureTakes: Duration, isLive: Bool,
        isAway: (Duration) -> Bool
    ) -> Run {
        let start = ContinuousClock.now
        let hour = Duration.seconds(3_600)
        var (breaker, next, random) = (CircuitBreaker(), NextPoll(usual: .seconds(5)), SeededGenerator(seed: 7))
        var run = Run()
        var now = start
        while now - start < hour {
            let began = now
            let left = limit - run.calls.count
            let outcome: NextPoll.Outcome
            if let until = breaker.closedUntil(at: now) {
                outcome = .skipped(until: until)
            } else if left <= 0 {
                outcome = .overBudget(wait: hour - (now - start))
            } else {
                _ = breaker.allowsCall(at: now)
                run.calls.append(now - start)
                if isAway(now - start) {
                    now += failureTakes
                    breaker.failed(at: began, isLive: isLive)
                    outcome = .failed
                } else {
                    run.answers.append(now - start)
                    now += .milliseconds(100)
                    breaker.succeeded()
                    outcome = .answered
                }
            }
            let paced = CallPacing.interval(
                usual: usual, left: limit - run.calls.count, hourLeft: hour - (began - start), callers: 1)
            now = next.after(
                outcome, began: began, now: now, interval: paced, isLive: isLive, using: &random)
        }
        return run
    }

    /// Five seconds in every nine.
    static func failsOftenerThanNot(_ at: Duration) -> Bool {
        at - .seconds(9) * (at.components.seconds / 9) < .seconds(5)
    }

    @Test(arguments: [5_000, 2_500], [10, 4_000])
    func aProviderThatFailsFiveSecondsInNineStallsNoMatch(interval: Int, failureTakes: Int) {
        let run = Self.hour(
            interval: .milliseconds(interval), failureTakes: .milliseconds(failureTakes), isLive: true,
            isAway: Self.failsOftenerThanNot)
        #expect(run.longestSilence <= .seconds(15), "an alert is fresh for 30 s")
        #expect(run.calls.count <= 3_600 * 1_000 / interval)
    }

    @Test func aProviderThatIsAwayIsTriedEveryFiveSecondsAndNoMoreOften() {
        let run = Self.hour(
            interval: .milliseconds(2_500), failureTakes: .milliseconds(10), isLive: true
        ) { _ in true }
        #expect(run.pauses.allSatisfy { $0 <= .milliseconds(5_020) })
        #expect(run.pauses.dropFirst(CircuitBreaker.failuresMax).allSatisfy { $0 >= .seconds(5) })
    }

    @Test func noTrialIsMadeBeyondTheHoursCalls() {
        let run = Self.hour(
            interval: .seconds(5), limit: 240, failureTakes: .milliseconds(10), isLive: true,
            isAway: Self.failsOftenerThanNot)
        #expect(run.calls.count <= 240 && run.pauses.allSatisfy { $0 >= .milliseconds(14_900) }, "spread over the hour")
    }

    @Test func withoutALiveMatchItIsLeftAloneForAMinute() {
        let run = Self.hour(interval: .seconds(5), failureTakes: .milliseconds(10), isLive: false) { _ in true }
        #expect(run.calls.count < 80)
    }
}
