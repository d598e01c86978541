import TestKit
import Testing

@testable import APIGateway

/// The rule at its edges, and beside two naive ones.
@Suite struct RateLimitTests {
    private static let second: Int64 = 1_000_000_000
    private static let minute = 60 * second

    @Test func theLimitsAreTheseAndEachHasItsName() {
        // Who registers bad tokens is not counted by a rate.
        #expect(RateLimit.all.map(\.name) == RateLimit.Name.allCases.filter { $0 != .badTokens })
        #expect(RateLimit.all.map(\.perMinute) == [30, 60, 120, 5, 300, 5, 6_000, 600, 600, 6_000, 10])
        #expect(RateLimit.all.allSatisfy { $0.burst == $0.perMinute })
        #expect(RateLimit.all.filter { $0.whenFull == .refuse } == [.failedAdminKeys])
        #expect(RateLimit.all.filter { $0.lockoutMinutes > 0 } == [.failedAdminKeys])
        #expect(RateLimit.all.allSatisfy { $0.times(3).lockoutMinutes == $0.lockoutMinutes })
    }

    @Test(arguments: RateLimit.all, [0, 1, 7 * 86_400 * second])
    func letsInTheBurstAndThenOnePerInterval(_ limit: RateLimit, start: Int64) {
        var fullAt = start
        for _ in 0..<limit.burst { #expect(limit.take(&fullAt, now: start) == 0) }
        #expect(limit.take(&fullAt, now: start) == limit.interval)
        #expect(limit.take(&fullAt, now: start + limit.interval - 1) == 1)
        #expect(limit.take(&fullAt, now: start + limit.interval) == 0)
        #expect(limit.take(&fullAt, now: start + limit.interval) == limit.interval)
        // A minute without a request, and everything is as in the beginning.
        let later = start + limit.interval + Self.minute
        for _ in 0..<limit.burst { #expect(limit.take(&fullAt, now: later) == 0) }
        #expect(limit.take(&fullAt, now: later) > 0)
    }

    @Test func whoIsRefusedIsNotCounted() {
        let limit = RateLimit(.reads, perMinute: 60, burst: 2)
        var fullAt: Int64 = 0
        for _ in 0..<2 { _ = limit.take(&fullAt, now: 0) }
        for _ in 0..<1_000 { #expect(limit.take(&fullAt, now: 0) == Self.second) }
        #expect(limit.take(&fullAt, now: Self.second) == 0)
    }

    @Test func whatIsGivenBackCanBeTakenAgain() {
        let limit = RateLimit(.reads, perMinute: 60, burst: 3)
        var fullAt: Int64 = 0
        for _ in 0..<3 { _ = limit.take(&fullAt, now: 0) }
        limit.refund(&fullAt)
        #expect(limit.take(&fullAt, now: 0) == 0)
        #expect(limit.take(&fullAt, now: 0) == Self.second)
    }

    @Test func failuresThatHappenedEmptyTheBucketAndNoMore() {
        let limit = RateLimit(.failedTokens, perMinute: 10)
        var fullAt: Int64 = 0
        for _ in 0..<9 { limit.note(&fullAt, now: 0) }
        #expect(limit.wait(fullAt, now: 0) == 0)
        for _ in 0..<1_000 { limit.note(&fullAt, now: 0) }
        #expect(limit.wait(fullAt, now: 0) == 6 * Self.second)
        #expect(limit.wait(fullAt, now: 6 * Self.second) == 0)
        limit.note(&fullAt, now: 6 * Self.second)
        #expect(limit.wait(fullAt, now: 6 * Self.second) == 6 * Self.second)
    }

    @Test func whoHasUsedUpTheGuessesWaitsAnHourThatNothingProlongs() {
        let limit = RateLimit.failedAdminKeys
        let hour = 60 * Self.minute
        var fullAt: Int64 = 0
        for _ in 0..<9 { limit.note(&fullAt, now: 0) }
        #expect(limit.wait(fullAt, now: 0) == 0)
        limit.note(&fullAt, now: 0)
        #expect(limit.wait(fullAt, now: 0) == hour)
        // Those that were under way.
        for _ in 0..<100 { limit.note(&fullAt, now: Self.second) }
        #expect(limit.wait(fullAt, now: Self.second) == hour - Self.second)
        #expect(limit.wait(fullAt, now: hour - 1) == 1)
        // One guess more, and the next hour.
        #expect(limit.wait(fullAt, now: hour) == 0)
        limit.note(&fullAt, now: hour)
        #expect(limit.wait(fullAt, now: hour) == hour)
        // A minute after the hour all of them are back.
        #expect(limit.wait(fullAt, now: 2 * hour + Self.minute) == 0)
        for _ in 0..<9 { limit.note(&fullAt, now: 2 * hour + Self.minute) }
        #expect(limit.wait(fullAt, now: 2 * hour + Self.minute) == 0)
    }

    @Test func failuresThatWereUnderWayAtOnceAreWaitedForWhereALimitSaysSo() {
        let limit = RateLimit.refusedRegistrations
        var fullAt: Int64 = 0
        for _ in 0..<20 { limit.note(&fullAt, now: 0) }
        #expect(limit.wait(fullAt, now: 0) == 16 * 12 * Self.second)
        for _ in 0..<1_000 { limit.note(&fullAt, now: 0) }
        #expect(limit.wait(fullAt, now: 0) == 116 * 12 * Self.second)
    }

    /// Two threads may read the clock in one order and come in the other.
    @Test func aClockThatIsAMomentBehindOnlyMakesItStricter() {
        let limit = RateLimit(.reads, perMinute: 60, burst: 2)
        var fullAt: Int64 = 0
        #expect(limit.take(&fullAt, now: 100) == 0)
        #expect(limit.take(&fullAt, now: 90) == 10)
        #expect(limit.take(&fullAt, now: 100) == 0)
        #expect(limit.take(&fullAt, now: 90) == Self.second + 10)
    }

    @Test(arguments: [(1, 1), (999_999_999, 1), (1_000_000_000, 1), (1_000_000_001, 2), (12_000_000_000, 12)])
    func retryAfterIsInWholeSecondsRoundedUp(_ wait: Int64, _ seconds: Int) {
        #expect(RateOutcome(wait: wait, by: .reads) == .refused(retryAfter: seconds, by: .reads))
        #expect(RateOutcome(wait: 0, by: .reads) == .admitted)
    }

    /// A log of all that came in: one more may, if then no stretch of time that ends now has more than the burst and
    /// what its length allows.
    private static func logAdmits(_ log: [Int64], _ limit: RateLimit, now: Int64) -> Bool {
        log.enumerated().allSatisfy { place, begin in
            log.count - place + 1 <= limit.burst + Int((now - begin) / limit.interval)
        }
    }

    @Test(arguments: 0..<40)
    func neverLetsInMoreThanTheBurstAndTheRateInAnyStretchOfTimeNorFewer(round: Int) {
        let seed = UInt64.random(in: .min ... .max)
        var random = SeededGenerator(seed: seed)
        let limit = RateLimit(
            .reads, perMinute: Int.random(in: 1...700, using: &random), burst: Int.random(in: 1...40, using: &random))
        var now = Int64.random(in: 0...1_000_000_000_000, using: &random)
        var fullAt = now
        var log: [Int64] = []
        for step in 0..<400 {
            // Bursts, the exact interval, a nanosecond off, and pauses.
            switch Int.random(in: 0..<10, using: &random) {
            case 0...4: break
            case 5: now += limit.interval
            case 6: now += limit.interval - 1
            case 7: now += 1
            case 8: now += Int64.random(in: 0...limit.interval * 3, using: &random)
            default: now += Int64.random(in: 0...limit.interval * Int64(limit.burst), using: &random)
            }
            let expected = Self.logAdmits(log, limit, now: now)
            let wait = limit.take(&fullAt, now: now)
            guard (wait == 0) == expected else {
                Issue.record("seed \(seed), step \(step): the log says \(expected)")
                return
            }
            if expected {
                log.append(now)
            } else {
                // And not a nanosecond too long.
                #expect(Self.logAdmits(log, limit, now: now + wait), "seed \(seed), step \(step)")
                #expect(!Self.logAdmits(log, limit, now: now + wait - 1), "seed \(seed), step \(step)")
            }
        }
        // Said once more, without the rule: every stretch between two that came in.
        for (place, begin) in log.enumerated() {
            for end in place..<log.count {
                let minutes = Double(log[end] - begin) / Double(Self.minute)
                let most = Double(limit.burst) + Double(limit.perMinute) * minutes
                #expect(Double(end - place + 1) <= most + 1e-6, "seed \(seed)")
            }
        }
    }
}
