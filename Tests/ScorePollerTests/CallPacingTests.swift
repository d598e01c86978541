import Testing

@testable import ScorePoller

@Suite struct CallPacingTests {
    @Test func keepsTheScheduleWhileTheHoursCallsLast() {
        let hour = Duration.seconds(3_600)
        #expect(CallPacing.interval(usual: .seconds(5), left: nil, hourLeft: hour, callers: 1) == .seconds(5))
        #expect(CallPacing.interval(usual: .seconds(5), left: 2_000, hourLeft: hour, callers: 1) == .seconds(5))
        #expect(CallPacing.interval(usual: .seconds(60), left: 100, hourLeft: hour, callers: 1) == .seconds(60))
    }

    @Test func pollsMoreRarelyRatherThanNotAtAll() {
        let hour = Duration.seconds(3_600)
        #expect(CallPacing.interval(usual: .seconds(5), left: 360, hourLeft: hour, callers: 1) == .seconds(10))
        #expect(CallPacing.interval(usual: .seconds(5), left: 10, hourLeft: .seconds(600), callers: 1) == .seconds(60))
        #expect(
            CallPacing.interval(usual: .milliseconds(2_500), left: 2_000, hourLeft: hour, callers: 3)
                == .milliseconds(5_400))
        #expect(CallPacing.interval(usual: .seconds(5), left: 0, hourLeft: .seconds(90), callers: 2) == .seconds(90))
    }

    @Test(arguments: [(1, 2_500), (3, 2_500), (7, 5_000), (2, 100)])
    func noNumberOfGroupsSpendsMoreThanTheHourHas(groups: Int, milliseconds: Int) {
        // Every group polls when its interval is over, all of them take from one allowance.
        let usual = Duration.milliseconds(milliseconds)
        var next = [Duration](repeating: .zero, count: groups)
        var used = 0
        var longestPause = Duration.zero
        var last = [Duration](repeating: .zero, count: groups)
        while let group = next.indices.min(by: { next[$0] < next[$1] }), next[group] < .seconds(3_600) {
            let now = next[group]
            guard used < 2_000 else {
                Issue.record("nothing is left after \(now)")
                return
            }
            used += 1
            longestPause = max(longestPause, now - last[group])
            last[group] = now
            next[group] =
                now
                + CallPacing.interval(
                    usual: usual, left: 2_000 - used, hourLeft: .seconds(3_605) - now, callers: groups)
        }
        #expect(used <= 2_000)
        #expect(longestPause < .seconds(120), "the hour lasts: the longest pause is \(longestPause)")
    }
}
