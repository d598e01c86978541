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
        #expect(clock.deadline == after(12), "the first request counts from the opening")
        clock.arrived(at: after(7))
        #expect(clock.deadline == after(37))
        clock.answering(at: after(8))
        #expect(clock.deadline == after(18))
        clock.answered(at: after(9))
        #expect(clock.deadline == after(19))
        clock.arriving(inBody: false, at: after(12))
        #expect(clock.deadline == after(17))
        clock.arriving(inBody: true, at: after(12))
        #expect(clock.deadline == after(24), "a later request counts from its first byte")
        clock.lingering(at: after(27))
        #expect(clock.deadline == after(28))
    }

    @Test func aFirstHeaderThatBeginsLateHasLessTime() {
        var clock = ConnectionClock(times: times, openedAt: start)
        clock.arriving(inBody: false, at: after(10) - .milliseconds(1))
        #expect(clock.deadline == after(12), "the whole first request has twelve seconds from the opening")
        var early = ConnectionClock(times: times, openedAt: start)
        early.arriving(inBody: false, at: after(7) - .milliseconds(1))
        #expect(early.deadline == after(12) - .milliseconds(1))
    }

    /// Row 10 of the threats: 15 s; two of them are for a machine that has much else to do.
    @Test func whoDribblesIsGoneAfterThirteenSeconds() {
        for share in [times.idle, times.head, times.request] { #expect(share + times.linger <= .seconds(13)) }
        #expect(times.write <= .seconds(15))
    }
}
