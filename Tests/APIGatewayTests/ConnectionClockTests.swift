import NIOCore
import Testing

@testable import APIGateway

@Suite struct ConnectionClockTests {
    private let times = GatewayTimes()
    private let start = NIODeadline.uptimeNanoseconds(1_000_000_000_000)

    private func after(_ seconds: Int64) -> NIODeadline { start + .seconds(seconds) }

    @Test func nothingMayTakeLongerThanItsTime() {
        var clock = ConnectionClock(times: times, openedAt: start)
        #expect(clock.deadline == after(10))
        clock.arriving(inBody: false, at: after(1))
        #expect(clock.deadline == after(6), "the header has five seconds from its first byte")
        clock.arriving(inBody: false, at: after(5))
        #expect(clock.deadline == after(6), "more of it gives no more time")
        clock.arriving(inBody: true, at: after(6))
        #expect(clock.stage == .body)
        #expect(clock.deadline == after(15), "the first request counts from the opening")
        clock.arrived(at: after(7))
        #expect(clock.deadline == after(37))
        clock.answering(at: after(8))
        #expect(clock.deadline == after(18))
        clock.answered(at: after(9))
        #expect(clock.deadline == after(19))
        clock.arriving(inBody: false, at: after(12))
        #expect(clock.deadline == after(17))
        clock.arriving(inBody: true, at: after(12))
        #expect(clock.deadline == after(27), "a later request counts from its first byte")
        clock.lingering(at: after(27))
        #expect(clock.deadline == after(28))
    }

    @Test func aFirstHeaderThatBeginsLateHasLessTime() {
        var clock = ConnectionClock(times: times, openedAt: start)
        clock.arriving(inBody: false, at: after(10) - .milliseconds(1))
        #expect(clock.deadline == after(15) - .milliseconds(1))
        var late = ConnectionClock(times: times, openedAt: start)
        late.arriving(inBody: false, at: after(12))
        #expect(late.deadline == after(15))
    }

    @Test func whoDribblesIsGoneAfterSixteenSeconds() {
        let shares = [times.idle + times.head, times.request]
        for share in shares { #expect(share + times.linger <= .seconds(16)) }
        #expect(times.write <= .seconds(15))
    }
}
