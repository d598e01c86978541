import TestKit
import Testing

@testable import ScorePoller

@Suite struct NextPollTests {
    /// Gives the largest number always: the longest wait.
    struct Largest: RandomNumberGenerator {
        mutating func next() -> UInt64 { .max }
    }

    let start = ContinuousClock.now

    @Test func keepsTheScheduleHoweverLongACallTakes() {
        var next = NextPoll(usual: .seconds(5))
        var random = Largest()
        var at = next.after(
            .answered, began: start, now: start + .seconds(3), interval: .seconds(5), isLive: false,
            using: &random)
        #expect(at == start + .seconds(5))
        at = next.after(
            .answered, began: start, now: start + .seconds(9), interval: .seconds(5), isLive: false,
            using: &random)
        #expect(at == start + .seconds(9) + .milliseconds(20))
    }

    @Test func waitsLongerAfterEachFailureUpToHalfAMinuteAndAsBeforeAfterASuccess() {
        var next = NextPoll(usual: .seconds(5))
        var random = Largest()
        var waits: [Duration] = []
        for _ in 0..<5 {
            waits.append(
                next.after(
                    .failed, began: start, now: start, interval: .seconds(5), isLive: false, using: &random)
                    - start)
        }
        let rounded = waits.map { ($0 / .seconds(1)).rounded() }
        #expect(rounded == [5, 10, 20, 30, 30])
        _ = next.after(.answered, began: start, now: start, interval: .seconds(5), isLive: false, using: &random)
        let again =
            next.after(.failed, began: start, now: start, interval: .seconds(5), isLive: false, using: &random)
            - start
        #expect((again / .seconds(1)).rounded() == 5)
    }

    @Test func spreadsTheWaitsOverTheirWholeBound() {
        let seed = UInt64.random(in: .min ... .max)
        var random = SeededGenerator(seed: seed)
        var waits: [Double] = []
        for _ in 0..<500 {
            var next = NextPoll(usual: .seconds(5))
            for _ in 0..<3 {
                _ = next.after(.failed, began: start, now: start, interval: .zero, isLive: false, using: &random)
            }
            waits.append(
                (next.after(.failed, began: start, now: start, interval: .zero, isLive: false, using: &random)
                    - start) / .seconds(1))
        }
        #expect(waits.allSatisfy { $0 >= 0 && $0 <= 30 }, "seed \(seed)")
        let mean = waits.reduce(0, +) / Double(waits.count)
        #expect((12...18).contains(mean), "seed \(seed): \(mean)")
    }

    @Test func neverComesBeforeTheSchedule() {
        let seed = UInt64.random(in: .min ... .max)
        var random = SeededGenerator(seed: seed)
        var next = NextPoll(usual: .seconds(5))
        for _ in 0..<100 {
            let at = next.after(
                .failed, began: start, now: start, interval: .seconds(60), isLive: false, using: &random)
            #expect(at == start + .seconds(60), "seed \(seed): a backoff is never longer than a rest")
        }
    }

    @Test func asksAgainWithinAMinuteWhenTheAllowanceIsGone() {
        var next = NextPoll(usual: .seconds(5))
        var random = Largest()
        var at = next.after(
            .overBudget(wait: .seconds(17)), began: start, now: start, interval: .seconds(5), isLive: false,
            using: &random)
        #expect(at == start + .seconds(17))
        at = next.after(
            .overBudget(wait: .seconds(3_000)), began: start, now: start, interval: .seconds(5), isLive: false,
            using: &random)
        #expect(at == start + .seconds(60))
    }

    @Test func comesWhenTheBreakerLetsACallThrough() {
        var next = NextPoll(usual: .seconds(5))
        var random = Largest()
        for wait in [2, 20] {
            let until = start + .seconds(wait)
            let at = next.after(
                .skipped(until: until), began: start, now: start, interval: .seconds(5), isLive: false,
                using: &random)
            #expect(at == until, "the schedule has been kept before the breaker was asked")
        }
    }

    @Test func whileAMatchIsLiveAFailureKeepsTheScheduleHoweverLongItTook() {
        var next = NextPoll(usual: .seconds(5))
        var random = Largest()
        for _ in 0..<6 {
            let at = next.after(
                .failed, began: start, now: start + .seconds(4), interval: .seconds(5), isLive: true, using: &random)
            #expect(at == start + .seconds(5))
        }
        let paced = next.after(
            .failed, began: start, now: start, interval: .seconds(17), isLive: true, using: &random)
        #expect(paced == start + .seconds(17), "the hour's calls go before")
    }
}
