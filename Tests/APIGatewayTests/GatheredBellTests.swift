import SightscreenModels
import TestKit
import Testing

@testable import APIGateway

@Suite struct GatheredBellTests {
    @Test func ringsAtOnceAndThenOnceForAllWhoAskWithinAMoment() async throws {
        let inner = RecordingBell()
        let (moments, moment) = AsyncStream<Void>.makeStream()
        let turns = Turns(moments)
        let bell = GatheredBell(inner) { await turns.next() }
        await bell.ring(for: [MatchID(1)])
        #expect(inner.matches == [MatchID(1)])
        for _ in 0..<1_000 { await bell.ring(for: [MatchID(1)]) }
        #expect(inner.matches == [MatchID(1)])
        // The moment is over: one for the thousand. After another one without a word it is as in the beginning.
        moment.yield()
        try await eventually("it rings for those who asked") { inner.matches.count == 2 }
        moment.yield()
        try await eventually("it rings at once again") {
            await bell.ring(for: [MatchID(1)])
            return inner.matches.count == 3
        }
        moment.finish()
    }

    @Test func everyMatchHasItsOwnMoment() async {
        let inner = RecordingBell()
        let bell = GatheredBell(inner) { try? await Task.sleep(for: .seconds(3600)) }
        await bell.ring(for: [MatchID(1), MatchID(2)])
        await bell.ring(for: [MatchID(2), MatchID(3)])
        await bell.ring(for: [])
        #expect(inner.matches == [MatchID(1), MatchID(2), MatchID(3)])
    }

    /// One moment after the other, as the test lets them pass.
    private actor Turns {
        private var moments: AsyncStream<Void>.Iterator

        init(_ moments: AsyncStream<Void>) { self.moments = moments.makeAsyncIterator() }

        func next() async {
            var own = moments
            _ = await own.next(isolation: self)
            moments = own
        }
    }
}
