@testable import SightscreenClientTesting
import SightscreenModels
@testable import SightscreenClient
import TestSupport
import Testing

/// Values that are sent until they are delivered.
@Suite struct OutboxTests {
    /// A receiver that fails or waits as it is told.
    private actor Receiver {
        private(set) var got: [String] = []
        private(set) var underWay = 0
        private(set) var underWayMax = 0
        private var failures: Int
        private var gate: CheckedContinuation<Void, Never>?
        private var holds: Bool

        init(failures: Int = 0, holds: Bool = false) {
            self.failures = failures
            self.holds = holds
        }

        func take(_ value: String) async -> Outbox<String, String>.Outcome {
            underWay += 1
            underWayMax = max(underWayMax, underWay)
            got.append(value)
            if holds {
                holds = false
                await withCheckedContinuation { gate = $0 }
            }
            underWay -= 1
            if failures > 0 {
                failures -= 1
                return .retry(after: nil)
            }
            return .delivered
        }

        func release() { gate?.resume() }
    }

    private func outbox(_ receiver: Receiver, _ clock: SimulatedClock) -> Outbox<String, String> {
        Outbox(clock: clock, background: FakeBackgroundTime(), jitter: { 1 }) { _, value in await receiver.take(value) }
    }

    @Test func triesAgainWithGrowingWaits() async throws {
        let (receiver, clock) = (Receiver(failures: 3), SimulatedClock(now: 0))
        let outbox = outbox(receiver, clock)
        await outbox.put("a", in: "slot")
        for wait in [1, 2, 4] {
            try await eventually("it waits \(wait) s") { clock.untilNext == .seconds(wait) }
            clock.advance(seconds: wait)
        }
        try await eventually("it is taken") { await outbox.waiting.isEmpty }
        #expect(await receiver.got == ["a", "a", "a", "a"])
        await outbox.stop()
    }

    @Test func aNewerValueTakesThePlaceOfOneThatWaitsAndGoesAtOnce() async throws {
        let (receiver, clock) = (Receiver(failures: 1), SimulatedClock(now: 0))
        let outbox = outbox(receiver, clock)
        await outbox.put("old", in: "slot")
        try await eventually("it waits") { clock.sleeperCount == 1 }
        await outbox.put("new", in: "slot")
        try await eventually("it is taken") { await outbox.waiting.isEmpty }
        #expect(await receiver.got == ["old", "new"])
        #expect(clock.sleeperCount == 0)
        await outbox.stop()
    }

    @Test func twoOfOneSlotAreNeverUnderWay() async throws {
        let (receiver, clock) = (Receiver(holds: true), SimulatedClock(now: 0))
        let outbox = outbox(receiver, clock)
        await outbox.put("1", in: "slot")
        try await eventually("it is under way") { await receiver.got == ["1"] }
        await outbox.put("2", in: "slot")
        await outbox.put("3", in: "slot")
        // Another slot does not wait for it.
        await outbox.put("other", in: "other slot")
        try await eventually("the other is taken") { await receiver.got == ["1", "other"] }
        await receiver.release()
        try await eventually("all are taken") { await outbox.waiting.isEmpty }
        #expect(await receiver.got == ["1", "other", "3"])
        await outbox.stop()
    }

    @Test func aRetryNowEndsTheWait() async throws {
        let (receiver, clock) = (Receiver(failures: 1), SimulatedClock(now: 0))
        let outbox = outbox(receiver, clock)
        await outbox.put("a", in: "slot")
        try await eventually("it waits") { clock.sleeperCount == 1 }
        await outbox.retryNow()
        try await eventually("it is taken") { await outbox.waiting.isEmpty }
        #expect(clock.now == 0)
        await outbox.stop()
    }

    @Test func whatIsWithdrawnIsNotUnderWayAnyMore() async throws {
        let (receiver, clock) = (Receiver(failures: 1, holds: true), SimulatedClock(now: 0))
        let outbox = outbox(receiver, clock)
        await outbox.put("a", in: "slot")
        try await eventually("it is under way") { await receiver.underWay == 1 }
        async let withdrawn: Void = outbox.withdraw("slot")
        try await eventually("nothing waits") { await outbox.waiting.isEmpty }
        await receiver.release()
        await withdrawn
        #expect(await receiver.underWay == 0)
        #expect(await receiver.got == ["a"])
        #expect(clock.sleeperCount == 0)
        await outbox.stop()
    }

    @Test func finishTriesEverythingOnceMore() async throws {
        let (receiver, clock) = (Receiver(failures: 3), SimulatedClock(now: 0))
        let outbox = outbox(receiver, clock)
        for slot in ["a", "b"] { await outbox.put(slot, in: slot) }
        try await eventually("all wait") { clock.sleeperCount == 2 }
        await outbox.finish()
        #expect(await receiver.got.sorted() == ["a", "a", "b", "b"])
        #expect(clock.sleeperCount == 0)
        await outbox.put("late", in: "c")
        #expect(await receiver.got.count == 4)
    }

    /// A delivery under way may have begun before the network was there.
    @Test func finishTriesAgainWhatIsUnderWay() async throws {
        let (receiver, clock) = (Receiver(failures: 1, holds: true), SimulatedClock(now: 0))
        let outbox = outbox(receiver, clock)
        await outbox.put("a", in: "slot")
        try await eventually("it is under way") { await receiver.underWay == 1 }
        async let finished: Void = outbox.finish()
        // The outbox accepts nothing any more once it has begun to finish.
        try await eventually("it finishes") { await outbox.isFinishing }
        await receiver.release()
        await finished
        #expect(await receiver.got == ["a", "a"])
        #expect(clock.sleeperCount == 0)
    }

    @Test func stopEndsEverything() async throws {
        let (receiver, clock) = (Receiver(failures: 9), SimulatedClock(now: 0))
        let outbox = outbox(receiver, clock)
        for slot in ["a", "b", "c"] { await outbox.put(slot, in: slot) }
        try await eventually("all wait") { clock.sleeperCount == 3 }
        await outbox.stop()
        #expect(clock.sleeperCount == 0)
        await outbox.put("late", in: "a")
        #expect(await outbox.waiting.isEmpty)
    }

    // MARK: - Broadcast

    @Test func aSlowReaderOfABroadcastGetsTheNewestValue() async {
        let broadcast = Broadcast(1)
        var reader = broadcast.values().makeAsyncIterator()
        for value in 2...1_000 { broadcast.send(value) }
        #expect(await reader.next() == 1_000)
        let late = broadcast.values()
        for await value in late {
            #expect(value == 1_000)
            break
        }
        broadcast.disconnect()
        #expect(await reader.next() == nil)
        #expect(broadcast.readerCount == 0)
    }
}
