import Testing

@testable import HTTP2

@Suite struct HTTP2DelayWheelTests {
    @Test func givesEachWhenItIsDueAndOnce() {
        var wheel = HTTP2DelayWheel<Int>(now: 1_000)
        // The last one has gone round the wheel ten times when it is due.
        for delay in [0, 1, 50, 1_023, 1_024, 1_025, 10_240] { wheel.add(delay, due: 1_000 + Int64(delay)) }
        var taken: [Int] = []
        for now in stride(from: Int64(1_000), through: 12_000, by: 7) {
            for delay in wheel.take(now: now) {
                #expect(delay <= now - 1_000 && (delay > now - 1_000 - 7 || delay == 0))
                taken.append(delay)
            }
        }
        #expect(taken == [0, 1, 50, 1_023, 1_024, 1_025, 10_240])
        #expect(wheel.count == 0)
    }

    @Test func aLongPauseLosesNothing() {
        var wheel = HTTP2DelayWheel<Int>(now: 0)
        for number in 1...5_000 { wheel.add(number, due: Int64(number)) }
        #expect(wheel.take(now: 4_000).sorted() == Array(1...4_000))
        #expect(wheel.take(now: 4_000).isEmpty)
        #expect(wheel.take(now: 5_000).sorted() == Array(4_001...5_000))
    }
}
