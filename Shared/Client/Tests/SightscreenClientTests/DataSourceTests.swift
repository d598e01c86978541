@testable import SightscreenClientTesting
import SightscreenModels
import TestSupport
import Testing

@testable import SightscreenClient

/// Data sources: caching, polling and midnight.
@MainActor
@Suite struct DataSourceTests {
    let today = ScheduleHarness.today

    private func live(_ harness: ScheduleHarness) -> LiveMatchesDataSource {
        LiveMatchesDataSource(api: harness.api, cache: harness.cache, clock: harness.clock)
    }

    // MARK: - DataSource

    @Test func loadIsCacheFirst() async throws {
        let harness = try ScheduleHarness()
        await harness.gateway.setLive([Sample.match()], retryAfterMs: 5_000)
        let source = live(harness)
        #expect(source.data == nil)
        #expect(try await source.load().count == 1)
        #expect(!source.isStale, "it was fetched")

        // The data source of another view finds this one's data, and knows that it is old.
        await harness.gateway.setLive([], retryAfterMs: 30_000)
        let other = live(harness)
        #expect(try await other.load().count == 1)
        #expect(other.data?.count == 1)
        #expect(other.isStale)
        #expect(await harness.gateway.callCount == 1)
    }

    @Test func refreshBypassesTheCache() async throws {
        let harness = try ScheduleHarness()
        let source = live(harness)
        try await source.load()
        await harness.gateway.setLive([Sample.match()], retryAfterMs: 5_000)
        #expect(try await source.refresh().count == 1)
        #expect(await harness.gateway.callCount == 2)
        #expect(!source.isStale)
    }

    @Test func fetchesAtTheSameTimeShareOneCall() async throws {
        let harness = try ScheduleHarness()
        await harness.gateway.trouble(.held)
        let source = live(harness)
        let tasks = (1...10).map { _ in Task { try await source.refresh() } }
        try await eventually("one call is under way") { await harness.gateway.heldCount == 1 }
        await harness.gateway.release()
        for task in tasks { #expect(try await task.value == []) }
        #expect(await harness.gateway.callCount == 1)
    }

    @Test func aFailureKeepsTheData() async throws {
        let harness = try ScheduleHarness()
        await harness.gateway.setLive([Sample.match()], retryAfterMs: 5_000)
        let source = live(harness)
        try await source.load()
        await harness.gateway.setOffline(true)
        await #expect(throws: APIError.transport(.offline)) { try await source.refresh() }
        #expect(source.data?.count == 1)
    }

    // MARK: - LiveMatchesDataSource

    @Test func liveMatchesAreAlwaysPolled() async throws {
        let harness = try ScheduleHarness()
        let source = live(harness)
        await harness.gateway.setLive([Sample.match()], retryAfterMs: 5_000)
        try await source.load()
        #expect(source.shouldPoll())
        // Without polling, the beginning of a match would not be noticed.
        await harness.gateway.setLive([], retryAfterMs: 30_000)
        try await source.refresh()
        #expect(source.shouldPoll())
        #expect(source.pollIntervalMs == 30_000)
    }

    @Test func theIntervalIsTheServers() async throws {
        let harness = try ScheduleHarness()
        let source = live(harness)
        #expect(source.pollIntervalMs == PollInterval.unknownMs)
        for interval in [30_000, 5_000, 2_000, 15_000] {
            await harness.gateway.setLive([Sample.match()], retryAfterMs: interval)
            try await source.refresh()
            #expect(source.pollIntervalMs == interval)
        }
    }

    @Test func theIntervalTightensInAKeyMoment() async throws {
        let harness = try ScheduleHarness()
        let source = live(harness)
        await harness.gateway.setLive([Sample.match()], retryAfterMs: 30_000)
        let poller = DataPoller(source, clock: harness.clock) { 1 }
        poller.appear()
        try await eventually("the first answer") { source.data != nil && harness.clock.sleeperCount == 1 }
        #expect(harness.clock.untilNext == .seconds(30))
        await harness.gateway.setLive([Sample.match()], retryAfterMs: 2_000)
        harness.clock.advance(seconds: 30)
        try await eventually("the second answer") {
            await harness.gateway.callCount == 2 && harness.clock.sleeperCount == 1
        }
        #expect(harness.clock.untilNext == .seconds(2))
        poller.disappear()
    }

    @Test(arguments: [
        (Int?.none, 5_000), (0, 1_000), (-5, 1_000), (999, 1_000), (2_000, 2_000), (300_001, 300_000),
        (Int.max, 300_000), (Int.min, 1_000),
    ])
    func anIntervalIsBelievedWithinReason(_ told: Int?, _ believed: Int) {
        #expect(PollInterval.clamped(told) == believed)
    }

    @Test func anUnchangedListComesWithoutABody() async throws {
        let harness = try ScheduleHarness()
        await harness.gateway.setLive([Sample.match()], retryAfterMs: 2_000)
        let source = live(harness)
        try await source.load()
        #expect(try await source.refresh().count == 1)
        #expect(await harness.gateway.calls.map(\.status) == [200, 304])
        #expect(source.pollIntervalMs == 2_000)
    }

    // MARK: - ScheduleDataSource

    @Test func eachDateHasItsOwnEntry() async throws {
        let harness = try ScheduleHarness()
        await harness.gateway.set([ScheduleHarness.match(1, .completed, on: today - 1)], on: today - 1)
        await harness.gateway.set([ScheduleHarness.match(2, .upcoming, on: today + 1)], on: today + 1)
        let source = ScheduleDataSource(service: harness.service, clock: harness.clock, day: today - 1)
        try await source.load()
        #expect(source.data?.matches.map(\.id.rawValue) == [1])

        let selection = Task { try await source.select(today + 1) }
        try await harness.pass(.milliseconds(250))
        try await selection.value
        #expect(source.data?.matches.map(\.id.rawValue) == [2])
        #expect(source.selectedDay == today + 1)

        // Selecting the first day again shows its cached matches at once.
        try await source.select(today - 1)
        #expect(source.data?.matches.map(\.id.rawValue) == [1])
        #expect(await harness.gateway.callCount == 2)
    }

    @Test func onlyTodayIsPolled() async throws {
        let harness = try ScheduleHarness()
        _ = try await harness.service.fetchSchedule(for: today - 1)
        for (offset, isPolled) in [(-30, false), (-1, false), (0, true), (1, false), (30, false)] {
            let source = ScheduleDataSource(service: harness.service, clock: harness.clock, day: today + offset)
            #expect(source.shouldPoll() == isPolled)
        }
        let source = ScheduleDataSource(service: harness.service, clock: harness.clock)
        #expect(source.selectedDay == today && source.shouldPoll())
        try await source.select(today - 1)
        #expect(!source.shouldPoll(), "it is over")
    }

    @Test func itUsesTheWindowUnderneath() async throws {
        let harness = try ScheduleHarness()
        let day = today + 2
        _ = try await harness.service.fetchSchedule(for: day)
        let source = ScheduleDataSource(service: harness.service, clock: harness.clock, day: day)
        #expect(source.data?.day == day, "with the first frame")
        try await source.load()
        #expect(!source.isStale)
        #expect(await harness.gateway.callCount == 1)
        // The fetched day is in the cache for other sources.
        let fetched = try await source.refresh()
        #expect(harness.service.cached(day) == fetched)
    }

    @Test func anAnswerOfADayThatIsNoLongerSelectedIsNotShown() async throws {
        let harness = try ScheduleHarness()
        await harness.gateway.set([ScheduleHarness.match(1, .live, on: today)], on: today)
        let source = ScheduleDataSource(service: harness.service, clock: harness.clock)
        await harness.gateway.trouble(.held)
        let slow = Task { try await source.refresh() }
        try await eventually("the call is under way") { await harness.gateway.heldCount == 1 }
        let selection = Task { try await source.select(today + 1) }
        try await harness.pass(.milliseconds(250))
        try await selection.value
        await harness.gateway.release()
        #expect(try await slow.value.day == today)
        #expect(source.data?.day == today + 1)
    }

    // MARK: - Midnight

    @Test func atMidnightTodayIsTheNewDay() async throws {
        let harness = try ScheduleHarness()
        await harness.gateway.set([ScheduleHarness.match(1, .completed, on: today)], on: today)
        await harness.gateway.set([ScheduleHarness.match(2, .upcoming, on: today + 1)], on: today + 1)
        let source = ScheduleDataSource(service: harness.service, clock: harness.clock)
        let other = ScheduleDataSource(service: harness.service, clock: harness.clock, day: today + 2)
        try await source.load()
        try await other.load()
        harness.clock.advance(seconds: (today + 1).startsAt - harness.clock.now - 1)
        try await source.refresh()
        #expect(source.selectedDay == today)
        harness.clock.advance(seconds: 1)
        #expect(source.shouldPoll())
        try await source.refresh()
        #expect(source.selectedDay == today + 1 && source.shouldPoll())
        #expect(source.data?.matches.map(\.id.rawValue) == [2])
        try await other.load()
        #expect(other.selectedDay == today + 2, "who has chosen a day keeps it")
    }

    @Test func aMatchThatGoesOnPastMidnightIsPolledToItsEnd() async throws {
        let harness = try ScheduleHarness()
        await harness.gateway.set([ScheduleHarness.match(1, .live, on: today, at: 80_000)], on: today)
        let source = ScheduleDataSource(service: harness.service, clock: harness.clock)
        try await source.load()
        let chosen = ScheduleDataSource(service: harness.service, clock: harness.clock, day: today - 1)
        harness.clock.advance(seconds: (today + 1).startsAt - 60 - harness.clock.now)
        try await source.refresh()
        harness.clock.advance(seconds: 660)

        let poller = DataPoller(source, clock: harness.clock) { 1 }
        poller.appear()
        try await eventually("it is asked for") {
            await harness.gateway.callCount == 3 && harness.clock.sleeperCount == 1
        }
        #expect(source.selectedDay == today && source.data?.hasLiveMatches == true)
        #expect(harness.clock.untilNext == .seconds(5), "as a match in play")

        await harness.gateway.set([ScheduleHarness.match(1, .completed, on: today, at: 80_000)], on: today)
        harness.clock.advance(seconds: 5)
        try await eventually("it is over") {
            source.data?.matches.first?.status == .completed && harness.clock.sleeperCount == 1
        }
        harness.clock.advance(seconds: 30)
        try await eventually("today is another day") {
            source.data?.day == today + 1 && harness.clock.sleeperCount == 1
        }
        #expect(await harness.gateway.calls(of: today).count == 4)
        poller.disappear()

        // A selected day is polled as long as one of its matches is in play, and stays selected.
        await harness.gateway.set([ScheduleHarness.match(2, .live, on: today - 1)], on: today - 1)
        try await chosen.load()
        #expect(chosen.shouldPoll() && chosen.selectedDay == today - 1)
        await harness.gateway.set([ScheduleHarness.match(2, .completed, on: today - 1)], on: today - 1)
        try await chosen.refresh()
        #expect(!chosen.shouldPoll())
    }

    @Test func whoComesBackTheNextDayBeginsWithToday() async throws {
        let harness = try ScheduleHarness()
        await harness.gateway.set([ScheduleHarness.match(1, .live, on: today)], on: today)
        let source = ScheduleDataSource(service: harness.service, clock: harness.clock)
        try await source.load()
        harness.clock.advance(seconds: 3 * 86_400)
        try await source.load()
        #expect(source.selectedDay == today + 3 && source.data?.day == today + 3)
    }

    // MARK: - Missing answers

    @Test func aDayThatCouldNotBeFetchedIsAskedForAgain() async throws {
        let harness = try ScheduleHarness()
        let source = ScheduleDataSource(service: harness.service, clock: harness.clock)
        await harness.gateway.setOffline(true)
        let selection = Task { try await source.select(today + 1) }
        try await harness.pass(.milliseconds(250))
        await #expect(throws: APIError.transport(.offline)) { try await selection.value }
        #expect(source.data == nil && source.shouldPoll())
        await harness.gateway.setOffline(false)
        try await source.refresh()
        #expect(source.data?.day == today + 1 && !source.shouldPoll())
    }

    @Test func aDayOnDiskIsShownWhileTheGatewayIsAsked() async throws {
        let harness = try ScheduleHarness()
        let day = today + 20
        await harness.gateway.set([ScheduleHarness.match(1, .upcoming, on: day)], on: day)
        let entry = try await harness.service.fetchSchedule(for: day)
        #expect(harness.service.cached(day) == nil, "it is outside the window")
        harness.clock.advance(seconds: 3_600)
        await harness.gateway.trouble(.held)
        let source = ScheduleDataSource(service: harness.service, clock: harness.clock)
        let selection = Task { try await source.select(day) }
        try await eventually("what is on disk is shown") { source.data == entry }
        #expect(source.isStale)
        try await harness.pass(.milliseconds(250))
        try await eventually("the gateway is asked") { await harness.gateway.heldCount == 1 }
        await harness.gateway.release()
        try await selection.value
        #expect(!source.isStale && source.data?.matches == entry.matches)
    }

    /// Matches are kept when the interval is invalid.
    @Test(arguments: [
        (#"{"matches":[]}"#, 5_000), (#"{"matches":[],"retryAfterMs":null}"#, 5_000),
        (#"{"matches":[],"retryAfterMs":"soon"}"#, 5_000), (#"{"matches":[],"retryAfterMs":0}"#, 1_000),
        (#"{"matches":[],"retryAfterMs":-1}"#, 1_000), (#"{"matches":[],"retryAfterMs":2500.5}"#, 2_500),
        (#"{"matches":[],"retryAfterMs":1e300}"#, 300_000),
        (#"{"matches":[],"retryAfterMs":99999999999999999999}"#, 300_000),
    ])
    func anIntervalThatIsMissingOrAbsurdIsNoFailure(_ body: String, _ believed: Int) async throws {
        let harness = try ScheduleHarness()
        await harness.gateway.trouble(.body(body), .body(body))
        let source = live(harness)
        try await source.load()
        #expect(source.pollIntervalMs == believed)
        let schedule = ScheduleDataSource(service: harness.service, clock: harness.clock)
        try await schedule.load()
        #expect(schedule.pollIntervalMs == believed)
    }

    @Test func theFakeServesCannedData() throws {
        let fake = FakeDataSource(["a"], pollIntervalMs: 2_000, polls: true)
        #expect(fake.data == nil)
        #expect(try fake.load() == ["a"])
        fake.set(.failure(.signedOut))
        #expect(throws: APIError.signedOut) { try fake.refresh() }
        #expect(fake.data == ["a"] && fake.shouldPoll() == false && fake.pollIntervalMs == 2_000)
    }
}
