import Testing

@testable import Activities

@Suite struct ChannelPacerTests {
    private static let second: Int64 = 1_000_000_000

    /// The answer to a publish with an alert whose event was `age` seconds ago.
    private static func refuse(
        _ pacer: inout ChannelPacer, _ alert: UInt32, age: Int64 = 0, retryAfter: Int? = nil, at seconds: Int64
    ) -> Int? {
        pacer.throttled(
            retryAfter: retryAfter, alert: .init(newest: alert, freshUntil: (seconds - age + 30) * second),
            at: seconds * second)
    }

    /// The seconds at which an alert may be published, of the half minute after `start`, when each is refused.
    private static func tries(_ pacer: ChannelPacer, _ alert: UInt32, from start: Int64, retryAfter: Int? = nil)
        -> [Int64]
    {
        var pacer = pacer
        return (start...start + 30).filter { now in
            guard pacer.allows(alert: alert, at: now * second) else { return false }
            pacer.published(at: now * second)
            _ = refuse(&pacer, alert, age: now - start, retryAfter: retryAfter, at: now)
            return true
        }
    }

    @Test func statesKeepTheIntervalAndAlertsDoNot() {
        var pacer = ChannelPacer()
        #expect(pacer.allows(alert: nil, at: 0))
        pacer.published(at: 0)
        #expect(!pacer.allows(alert: nil, at: 5 * Self.second - 1))
        #expect(pacer.allows(alert: 2, at: Self.second))
        #expect(pacer.allows(alert: nil, at: 5 * Self.second))
    }

    @Test func a429HalvesThePaceDownToFourAndRestsAMinute() {
        var pacer = ChannelPacer()
        #expect(pacer.throttled(retryAfter: nil, alert: nil, at: 0) == 60 && pacer.perMinute == 6)
        #expect(!pacer.allows(alert: nil, at: 60 * Self.second - 1))
        #expect(pacer.allows(alert: nil, at: 60 * Self.second))
        #expect(pacer.throttled(retryAfter: 7, alert: nil, at: 60 * Self.second) == 7 && pacer.perMinute == 4)
        #expect(pacer.throttled(retryAfter: 100_000, alert: nil, at: 70 * Self.second) == ChannelPacer.restMax)
        #expect(pacer.perMinute == 4)
    }

    @Test func anAlertIsTriedAfterThreeEightAndFifteenSeconds() {
        #expect(Self.tries(ChannelPacer(), 2, from: 0) == [0, 3, 8, 15])
        #expect(Self.tries(ChannelPacer(), 2, from: 0, retryAfter: 900) == [0, 3, 8, 15], "it would be no news then")
        var resting = ChannelPacer()
        _ = resting.throttled(retryAfter: nil, alert: nil, at: 0)
        #expect(Self.tries(resting, 2, from: 20) == [20, 23, 28, 35])
    }

    @Test func aRetryAfterWithinTheFreshnessIsObeyed() {
        #expect(Self.tries(ChannelPacer(), 2, from: 0, retryAfter: 20) == [0, 20])
        var pacer = ChannelPacer()
        _ = Self.refuse(&pacer, 2, age: 11, retryAfter: 20, at: 0)
        #expect(pacer.allows(alert: 2, at: 3 * Self.second), "it would be no news then")
    }

    @Test func whatIsRefusedWithinARestLengthensNothing() {
        var pacer = ChannelPacer()
        #expect(Self.refuse(&pacer, 2, at: 0) == 60 && pacer.perMinute == 6)
        for time: Int64 in [3, 8, 15] { #expect(Self.refuse(&pacer, 2, age: time, retryAfter: 300, at: time) == nil) }
        #expect(pacer.perMinute == 6)
        #expect(!pacer.allows(alert: nil, at: 59 * Self.second))
        #expect(pacer.allows(alert: nil, at: 60 * Self.second))
    }

    @Test func aNewerAlertJoinsTheOneThatWaitsAndHasTriesOfItsOwnAfterIt() {
        var pacer = ChannelPacer()
        _ = Self.refuse(&pacer, 2, at: 0)
        #expect(!pacer.allows(alert: 3, at: 2 * Self.second))
        #expect(pacer.allows(alert: 3, at: 3 * Self.second))
        _ = Self.refuse(&pacer, 3, age: 3, at: 3)
        _ = Self.refuse(&pacer, 3, age: 8, at: 8)
        #expect(Self.tries(pacer, 3, from: 15) == [15, 18, 23, 30], "all but the last belong to the older one")
        _ = Self.refuse(&pacer, 3, at: 15)
        for time: Int64 in [18, 23, 30] { _ = Self.refuse(&pacer, 3, at: time) }
        #expect(!pacer.allows(alert: 3, at: 31 * Self.second))
        #expect(pacer.allows(alert: 4, at: 31 * Self.second))
    }

    @Test func anAcceptedAlertKeepsNoOtherWaiting() {
        var pacer = ChannelPacer()
        _ = Self.refuse(&pacer, 2, at: 0)
        pacer.published(at: 3 * Self.second)
        pacer.accepted(alert: 2, at: 3 * Self.second)
        #expect(pacer.allows(alert: 3, at: 4 * Self.second))
        #expect(!pacer.allows(alert: nil, at: 4 * Self.second), "states rest on")
    }

    @Test func thePaceRecoversByOneInFiveMinutesWithoutA429() {
        var pacer = ChannelPacer(perMinute: 4, restsUntil: 0, now: 0)
        pacer.accepted(alert: nil, at: 299 * Self.second)
        #expect(pacer.perMinute == 4)
        for minute in stride(from: 5, through: 60, by: 5) {
            pacer.accepted(alert: nil, at: Int64(minute) * 60 * Self.second)
        }
        #expect(pacer.perMinute == ChannelPacer.perMinuteMax)
    }

    @Test(arguments: [(-1, 4), (0, 4), (7, 7), (12, 12), (99, 12)])
    func whatWasLearntIsTakenWithinItsBounds(stored: Int, perMinute: Int) {
        #expect(ChannelPacer(perMinute: stored).perMinute == perMinute)
    }
}
