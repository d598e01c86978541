@testable import SightscreenClientTesting
import Observation
import TestSupport
import Testing

@testable import SightscreenClient

/// The polling that `DataPoller` does for the `viewSubscriber` modifier.
@MainActor
@Suite struct DataPollerTests {
    /// A data source whose fetches wait for the test.
    @MainActor
    @Observable
    final class Source: DataSource {
        var data: Int?
        var cached: Int?
        var isStale = false
        var polls = true
        var pollIntervalMs = 5_000
        var failure: APIError?
        var isHeld = false
        private(set) var refreshes = 0
        private(set) var underWay = 0
        private(set) var mostAtOnce = 0
        private var waiting: [CheckedContinuation<Void, Never>] = []

        func load() async throws(APIError) -> Int {
            guard let cached = data ?? cached else { return try await refresh() }
            data = cached
            isStale = true
            return cached
        }

        func refresh() async throws(APIError) -> Int {
            refreshes += 1
            underWay += 1
            mostAtOnce = max(mostAtOnce, underWay)
            defer { underWay -= 1 }
            if isHeld { await withCheckedContinuation { waiting.append($0) } }
            if let failure { throw failure }
            data = refreshes
            isStale = false
            return refreshes
        }

        func shouldPoll() -> Bool { polls }

        func release() {
            isHeld = false
            for continuation in waiting { continuation.resume() }
            waiting = []
        }
    }

    let clock = SimulatedClock(now: Sample.now)
    let source = Source()
    let poller: DataPoller<Source>

    init() { poller = DataPoller(source, clock: clock) { 1 } }

    private func asleep(after refreshes: Int) async throws {
        try await eventually("it waits after \(refreshes) fetches") {
            source.refreshes == refreshes && clock.sleeperCount == 1
        }
    }

    private func isOver() async throws {
        try await eventually("it has ended") { clock.sleeperCount == 0 && !poller.isLoading }
    }

    // MARK: - Lifecycle binding

    @Test func pollingStartsOnAppearAndStopsOnDisappear() async throws {
        #expect(source.refreshes == 0)
        poller.appear()
        try await asleep(after: 1)
        clock.advance(seconds: 5)
        try await asleep(after: 2)
        poller.disappear()
        try await isOver()
        clock.advance(seconds: 3_600)
        #expect(source.refreshes == 2 && clock.sleeperCount == 0)
        poller.appear()
        try await asleep(after: 3)
        poller.disappear()
    }

    @Test func aViewThatAppearsTwiceIsPolledOnce() async throws {
        poller.appear()
        poller.appear()
        try await asleep(after: 1)
        poller.appear()
        clock.advance(seconds: 5)
        try await asleep(after: 2)
        poller.disappear()
    }

    // MARK: - Another source

    @Test func anotherSourceTakesThePlaceOfTheOneBefore() async throws {
        poller.appear()
        try await asleep(after: 1)
        let other = Source()
        poller.use(other)
        try await eventually("the other is fetched") { other.refreshes == 1 && clock.sleeperCount == 1 }
        clock.advance(seconds: 5)
        try await eventually("and polled") { other.refreshes == 2 && clock.sleeperCount == 1 }
        #expect(source.refreshes == 1)
        poller.use(other)
        #expect(poller.source === other)
        poller.disappear()
    }

    @Test func aLateFailureOfTheFormerSourceIsNotShown() async throws {
        source.isHeld = true
        source.failure = .transport(.offline)
        poller.appear()
        try await eventually("it is asked") { source.underWay == 1 }
        let other = Source()
        other.cached = 7
        poller.use(other)
        source.release()
        try await eventually("the other is fetched") { other.refreshes == 1 }
        #expect(poller.lastError == nil)
        poller.disappear()
    }

    // MARK: - What a view says

    @Test func aViewSaysWhyThereIsNothingOrNothingNewer() async throws {
        #expect(poller.notice == .loading)
        source.failure = .transport(.offline)
        poller.appear()
        try await asleep(after: 1)
        #expect(poller.notice == .failed(.transport(.offline)))
        source.failure = nil
        // The clock stands still.
        poller.retry()
        try await asleep(after: 2)
        #expect(poller.notice == .nothing)
        source.failure = .transport(.timeout)
        clock.advance(seconds: 5)
        try await asleep(after: 3)
        #expect(poller.notice == .outdated(.transport(.timeout)))
        poller.disappear()
    }

    // MARK: - ScenePhase awareness

    @Test func itPausesInTheBackgroundAndResumesAtOnce() async throws {
        poller.appear()
        try await asleep(after: 1)
        poller.enterBackground()
        try await isOver()
        clock.advance(seconds: 600)
        #expect(source.refreshes == 1 && clock.sleeperCount == 0)
        poller.enterForeground()
        // The clock stands still, so a further fetch has not waited.
        try await asleep(after: 2)
        poller.disappear()
    }

    @Test func aViewThatAppearsInTheBackgroundWaits() async throws {
        poller.enterBackground()
        poller.appear()
        #expect(!poller.isRunning)
        poller.enterForeground()
        try await asleep(after: 1)
        poller.disappear()
    }

    // MARK: - Cache first

    @Test func whatIsCachedIsShownWhileItIsRefreshed() async throws {
        source.cached = -1
        source.isHeld = true
        poller.appear()
        try await eventually("it fetches") { source.underWay == 1 }
        #expect(source.data == -1)
        #expect(poller.isLoading)
        source.release()
        try await asleep(after: 1)
        #expect(source.data == 1)
        poller.disappear()
    }

    @Test func whatIsFreshIsNotFetchedAgain() async throws {
        poller.appear()
        try await asleep(after: 1)
        #expect(source.data == 1, "without a cache one fetch is all")
        poller.disappear()
    }

    // MARK: - Polling

    @Test func thereAreNeverTwoFetchesAtATime() async throws {
        source.isHeld = true
        poller.appear()
        try await eventually("it fetches") { source.underWay == 1 }
        for _ in 1...5 {
            poller.enterBackground()
            poller.enterForeground()
            poller.disappear()
            poller.appear()
            clock.advance(seconds: 60)
            await Task.yield()
        }
        source.release()
        // There are two fetches: the interrupted one, and the one right after it.
        try await asleep(after: 2)
        #expect(source.mostAtOnce == 1)
        poller.disappear()
    }

    @Test func aSourceThatNeedNotBePolledIsLookedAtOnly() async throws {
        source.polls = false
        poller.appear()
        try await asleep(after: 1)
        for _ in 1...3 {
            clock.advance(seconds: 5)
            try await asleep(after: 1)
        }
        source.polls = true
        clock.advance(seconds: 5)
        try await asleep(after: 2)
        poller.disappear()
    }

    @Test func theIntervalIsTheSourcesAtThatMoment() async throws {
        source.pollIntervalMs = 30_000
        poller.appear()
        try await asleep(after: 1)
        #expect(clock.untilNext == .seconds(30))
        source.pollIntervalMs = 1
        clock.advance(seconds: 30)
        try await asleep(after: 2)
        #expect(clock.untilNext == .seconds(1), "no source makes it ask all the time")
        poller.disappear()
    }

    @Test func failuresAreFurtherAndFurtherApart() async throws {
        source.failure = .transport(.timeout)
        source.polls = false
        poller.appear()
        var pauses: [Duration] = []
        for count in 1...8 {
            try await asleep(after: count)
            let pause = try #require(clock.untilNext)
            pauses.append(pause)
            clock.advance(by: pause)
        }
        #expect(pauses == [5, 5, 8, 16, 32, 60, 60, 60].map { .seconds($0) })
        #expect(poller.lastError == .transport(.timeout))
        source.failure = nil
        try await eventually("it succeeds") {
            if source.data != nil { return true }
            clock.advance(seconds: 60)
            return false
        }
        try await eventually("it waits") { clock.sleeperCount == 1 }
        #expect(poller.lastError == nil)
        #expect(clock.untilNext == .seconds(5))
        poller.disappear()
    }

    @Test(arguments: [(120, 120), (86_400, 600), (1, 5)])
    func theServerIsGivenTheTimeItAsksFor(_ asked: Int, _ pause: Int) async throws {
        source.failure = .refused(status: 503, nil, retryAfter: asked)
        poller.appear()
        try await asleep(after: 1)
        #expect(clock.untilNext == .seconds(pause))
        poller.disappear()
    }

    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func whateverComesInWhateverOrderItEndsAsItShould(_ seed: UInt64) async throws {
        var generator = TestSupport.SeededGenerator(seed: seed)
        for _ in 1...200 {
            switch Int.random(in: 0..<8, using: &generator) {
            case 0: poller.appear()
            case 1: poller.disappear()
            case 2: poller.enterBackground()
            case 3: poller.enterForeground()
            case 4: source.isHeld = true
            case 5: source.release()
            case 6: source.failure = source.failure == nil ? .transport(.timeout) : nil
            default: clock.advance(seconds: Int.random(in: 1...90, using: &generator))
            }
            if Bool.random(using: &generator) { await Task.yield() }
        }
        source.failure = nil
        source.release()
        #expect(source.mostAtOnce <= 1)

        poller.disappear()
        try await isOver()
        let refreshes = source.refreshes
        clock.advance(seconds: 600)
        for _ in 1...10 { await Task.yield() }
        #expect(source.refreshes == refreshes, "nobody sees it")

        poller.enterForeground()
        poller.appear()
        try await eventually("it has asked, and waits") { source.refreshes > refreshes && clock.sleeperCount == 1 }
        #expect(!source.isStale && poller.lastError == nil)
        #expect(source.mostAtOnce <= 1)
        poller.disappear()
    }

    @Test func aPollerThatIsLetGoEndsWithItsView() async throws {
        poller.appear()
        try await asleep(after: 1)
        poller.disappear()
        try await isOver()
        weak var gone: DataPoller<Source>?
        do {
            let other = DataPoller(source, clock: clock) { 1 }
            gone = other
            other.appear()
            other.disappear()
        }
        try await eventually("it is gone") { gone == nil }
    }
}
