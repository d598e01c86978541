import Testing

@testable import Activities

@Suite struct ChannelPacerTests {
    private static let second: Int64 = 1_000_000_000

    @Test func statesKeepTheIntervalAndAlertsDoNot() {
        var pacer = ChannelPacer()
        #expect(pacer.allows(isAlert: false, at: 0))
        pacer.published(at: 0)
        #expect(!pacer.allows(isAlert: false, at: 5 * Self.second - 1))
        #expect(pacer.allows(isAlert: true, at: Self.second))
        #expect(pacer.allows(isAlert: false, at: 5 * Self.second))
    }

    @Test func a429HalvesThePaceDownToFourAndRestsAMinute() {
        var pacer = ChannelPacer()
        #expect(pacer.throttled(retryAfter: nil, at: 0) == 60 && pacer.perMinute == 6)
        #expect(!pacer.allows(isAlert: false, at: 60 * Self.second - 1))
        #expect(pacer.allows(isAlert: false, at: 60 * Self.second))
        #expect(pacer.throttled(retryAfter: 7, at: 60 * Self.second) == 7 && pacer.perMinute == 4)
        #expect(pacer.throttled(retryAfter: 100_000, at: 70 * Self.second) == ChannelPacer.restMax)
        #expect(pacer.perMinute == 4)
    }

    @Test func oneAlertBreaksARest() {
        var pacer = ChannelPacer()
        _ = pacer.throttled(retryAfter: nil, at: 0)
        #expect(pacer.allows(isAlert: true, at: Self.second))
        pacer.published(at: Self.second)
        #expect(!pacer.allows(isAlert: true, at: 2 * Self.second))
        // Refused as well: the rest is longer, and is broken no more.
        _ = pacer.throttled(retryAfter: nil, at: 3 * Self.second)
        #expect(!pacer.allows(isAlert: true, at: 62 * Self.second))
        #expect(pacer.allows(isAlert: true, at: 63 * Self.second))
        _ = pacer.throttled(retryAfter: nil, at: 64 * Self.second)
        #expect(pacer.allows(isAlert: true, at: 65 * Self.second), "another rest")
    }

    @Test func thePaceRecoversByOneInFiveMinutesWithoutA429() {
        var pacer = ChannelPacer(perMinute: 4, restsUntil: 0, now: 0)
        pacer.accepted(at: 299 * Self.second)
        #expect(pacer.perMinute == 4)
        for minute in stride(from: 5, through: 60, by: 5) { pacer.accepted(at: Int64(minute) * 60 * Self.second) }
        #expect(pacer.perMinute == ChannelPacer.perMinuteMax)
    }

    @Test(arguments: [(-1, 4), (0, 4), (7, 7), (12, 12), (99, 12)])
    func whatWasLearntIsTakenWithinItsBounds(stored: Int, perMinute: Int) {
        #expect(ChannelPacer(perMinute: stored).perMinute == perMinute)
    }
}
