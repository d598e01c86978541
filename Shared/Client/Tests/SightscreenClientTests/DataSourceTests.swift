@testable import SightscreenClientTesting
import SightscreenModels
import TestSupport
import Testing

@testable import SightscreenClient

/// The rows of DataSource, LiveMatchesDataSource and ScheduleDataSource.
@MainActor
@Suite struct DataSourceTests {
    let today = ScheduleDesk.today

    private func live(_ desk: ScheduleDesk) -> LiveMatchesDataSource {
        LiveMatchesDataSource(api: desk.api, cache: desk.cache, clock: desk.clock)
    }

    // MARK: - DataSource

    @Test func loadIsCacheFirst() async throws {
        let desk = try ScheduleDesk()
        await desk.gateway.setLive([Sample.match()], retryAfterMs: 5_000)
        let source = live(desk)
        #expect(source.data == nil)
        #expect(try await source.load().count == 1)
        #expect(!source.isStale, "it was fetched")

        // Another view's source finds what this one has fetched, and knows that it is old.
        await desk.gateway.setLive([], retryAfterMs: 30_000)
        let other = live(desk)
        #expect(try await other.load().count == 1)
        #expect(other.data?.count == 1)
        #expect(other.isStale)
        #expect(await desk.gateway.callCount == 1)
    }

    @Test func refreshBypassesTheCache() async throws {
        let desk = try ScheduleDesk()
        let source = live(desk)
        try await source.load()
        await desk.gateway.setLive([Sample.match()], retryAfterMs: 5_000)
        #expect(try await source.refresh().count == 1)
        #expect(await desk.gateway.callCount == 2)
        #expect(!source.isStale)
    }

    @Test func fetchesAtTheSameTimeShareOneCall() async throws {
        let desk = try ScheduleDesk()
        await desk.gateway.trouble(.held)
        let source = live(desk)
        let tasks = (1...10).map { _ in Task { try await source.refresh() } }
        try await eventually("one call is under way") { await desk.gateway.heldCount == 1 }
        await desk.gateway.release()
        for task in tasks { #expect(try await task.value == []) }
        #expect(await desk.gateway.callCount == 1)
    }

    @Test func aFailureKeepsTheData() async throws {
        let desk = try ScheduleDesk()
        await desk.gateway.setLive([Sample.match()], retryAfterMs: 5_000)
        let source = live(desk)
        try await source.load()
        await desk.gateway.setOffline(true)
        await #expect(throws: APIError.transport(.offline)) { try await source.refresh() }
        #expect(source.data?.count == 1)
    }

    // MARK: - LiveMatchesDataSource

    @Test func liveMatchesAreAlwaysPolled() async throws {
        let desk = try ScheduleDesk()
        let source = live(desk)
        await desk.gateway.setLive([Sample.match()], retryAfterMs: 5_000)
        try await source.load()
        #expect(source.shouldPoll())
        // Or nobody would see that a match begins.
        await desk.gateway.setLive([], retryAfterMs: 30_000)
        try await source.refresh()
        #expect(source.shouldPoll())
        #expect(source.pollIntervalMs == 30_000)
    }

    @Test func theIntervalIsTheServers() async throws {
        let desk = try ScheduleDesk()
        let source = live(desk)
        #expect(source.pollIntervalMs == PollInterval.unknownMs)
        for interval in [30_000, 5_000, 2_000, 15_000] {
            await desk.gateway.setLive([Sample.match()], retryAfterMs: interval)
            try await source.refresh()
            #expect(source.pollIntervalMs == interval)
        }
    }

    @Test func theIntervalTightensInAKeyMoment() async throws {
        let desk = try ScheduleDesk()
        let source = live(desk)
        await desk.gateway.setLive([Sample.match()], retryAfterMs: 30_000)
        let poller = DataPoller(source, clock: desk.clock) { 1 }
        poller.appear()
        try await eventually("the first answer") { source.data != nil && desk.clock.sleeperCount == 1 }
        #expect(desk.clock.untilNext == .seconds(30))
        await desk.gateway.setLive([Sample.match()], retryAfterMs: 2_000)
        desk.clock.advance(seconds: 30)
        try await eventually("the second answer") { await desk.gateway.callCount == 2 && desk.clock.sleeperCount == 1 }
        #expect(desk.clock.untilNext == .seconds(2))
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
        let desk = try ScheduleDesk()
        await desk.gateway.setLive([Sample.match()], retryAfterMs: 2_000)
        let source = live(desk)
        try await source.load()
        #expect(try await source.refresh().count == 1)
        #expect(await desk.gateway.calls.map(\.status) == [200, 304])
        #expect(source.pollIntervalMs == 2_000)
    }

    // MARK: - ScheduleDataSource

    @Test func eachDateHasItsOwnEntry() async throws {
        let desk = try ScheduleDesk()
        await desk.gateway.set([ScheduleDesk.match(1, .completed, on: today - 1)], on: today - 1)
        await desk.gateway.set([ScheduleDesk.match(2, .upcoming, on: today + 1)], on: today + 1)
        let source = ScheduleDataSource(service: desk.service, clock: desk.clock, day: today - 1)
        try await source.load()
        #expect(source.data?.matches.map(\.id.rawValue) == [1])

        let selection = Task { try await source.select(today + 1) }
        try await desk.pass(.milliseconds(250))
        try await selection.value
        #expect(source.data?.matches.map(\.id.rawValue) == [2])
        #expect(source.selectedDay == today + 1)

        // Back again: what is cached, at once.
        try await source.select(today - 1)
        #expect(source.data?.matches.map(\.id.rawValue) == [1])
        #expect(await desk.gateway.callCount == 2)
    }

    @Test func onlyTodayIsPolled() async throws {
        let desk = try ScheduleDesk()
        _ = try await desk.service.fetchSchedule(for: today - 1)
        for (offset, isPolled) in [(-30, false), (-1, false), (0, true), (1, false), (30, false)] {
            let source = ScheduleDataSource(service: desk.service, clock: desk.clock, day: today + offset)
            #expect(source.shouldPoll() == isPolled)
        }
        let source = ScheduleDataSource(service: desk.service, clock: desk.clock)
        #expect(source.selectedDay == today && source.shouldPoll())
        try await source.select(today - 1)
        #expect(!source.shouldPoll(), "it is over")
    }

    @Test func itUsesTheWindowUnderneath() async throws {
        let desk = try ScheduleDesk()
        let day = today + 2
        _ = try await desk.service.fetchSchedule(for: day)
        let source = ScheduleDataSource(service: desk.service, clock: desk.clock, day: day)
        #expect(source.data?.day == day, "with the first frame")
        try await source.load()
        #expect(!source.isStale)
        #expect(await desk.gateway.callCount == 1)
        // And what it fetches is there for others.
        let fetched = try await source.refresh()
        #expect(desk.service.cached(day) == fetched)
    }

    @Test func anAnswerOfADayThatIsNoLongerSelectedIsNotShown() async throws {
        let desk = try ScheduleDesk()
        await desk.gateway.set([ScheduleDesk.match(1, .live, on: today)], on: today)
        let source = ScheduleDataSource(service: desk.service, clock: desk.clock)
        await desk.gateway.trouble(.held)
        let slow = Task { try await source.refresh() }
        try await eventually("the call is under way") { await desk.gateway.heldCount == 1 }
        let selection = Task { try await source.select(today + 1) }
        try await desk.pass(.milliseconds(250))
        try await selection.value
        await desk.gateway.release()
        #expect(try await slow.value.day == today)
        #expect(source.data?.day == today + 1)
    }

    // MARK: - Midnight

    @Test func atMidnightTodayIsTheNewDay() async throws {
        let desk = try ScheduleDesk()
        await desk.gateway.set([ScheduleDesk.match(1, .completed, on: today)], on: today)
        await desk.gateway.set([ScheduleDesk.match(2, .upcoming, on: today + 1)], on: today + 1)
        let source = ScheduleDataSource(service: desk.service, clock: desk.clock)
        let other = ScheduleDataSource(service: desk.service, clock: desk.clock, day: today + 2)
        try await source.load()
        try await other.load()
        desk.clock.advance(seconds: (today + 1).startsAt - desk.clock.now - 1)
        try await source.refresh()
        #expect(source.selectedDay == today)
        desk.clock.advance(seconds: 1)
        #expect(source.shouldPoll())
        try await source.refresh()
        #expect(source.selectedDay == today + 1 && source.shouldPoll())
        #expect(source.data?.matches.map(\.id.rawValue) == [2])
        try await other.load()
        #expect(other.selectedDay == today + 2, "who has chosen a day keeps it")
    }

    @Test func aMatchThatGoesOnPastMidnightIsPolledToItsEnd() async throws {
        let desk = try ScheduleDesk()
        await desk.gateway.set([ScheduleDesk.match(1, .live, on: today, at: 80_000)], on: today)
        let source = ScheduleDataSource(service: desk.service, clock: desk.clock)
        try await source.load()
        let chosen = ScheduleDataSource(service: desk.service, clock: desk.clock, day: today - 1)
        desk.clock.advance(seconds: (today + 1).startsAt - 60 - desk.clock.now)
        try await source.refresh()
        desk.clock.advance(seconds: 660)

        let poller = DataPoller(source, clock: desk.clock) { 1 }
        poller.appear()
        try await eventually("it is asked for") {
            await desk.gateway.callCount == 3 && desk.clock.sleeperCount == 1
        }
        #expect(source.selectedDay == today && source.data?.hasLiveMatches == true)
        #expect(desk.clock.untilNext == .seconds(5), "as a match in play")

        await desk.gateway.set([ScheduleDesk.match(1, .completed, on: today, at: 80_000)], on: today)
        desk.clock.advance(seconds: 5)
        try await eventually("it is over") {
            source.data?.matches.first?.status == .completed && desk.clock.sleeperCount == 1
        }
        desk.clock.advance(seconds: 30)
        try await eventually("today is another day") {
            source.data?.day == today + 1 && desk.clock.sleeperCount == 1
        }
        #expect(await desk.gateway.calls(of: today).count == 4)
        poller.disappear()

        // A day that somebody has chosen is polled as long as something is in play, and stays chosen.
        await desk.gateway.set([ScheduleDesk.match(2, .live, on: today - 1)], on: today - 1)
        try await chosen.load()
        #expect(chosen.shouldPoll() && chosen.selectedDay == today - 1)
        await desk.gateway.set([ScheduleDesk.match(2, .completed, on: today - 1)], on: today - 1)
        try await chosen.refresh()
        #expect(!chosen.shouldPoll())
    }

    @Test func whoComesBackTheNextDayBeginsWithToday() async throws {
        let desk = try ScheduleDesk()
        await desk.gateway.set([ScheduleDesk.match(1, .live, on: today)], on: today)
        let source = ScheduleDataSource(service: desk.service, clock: desk.clock)
        try await source.load()
        desk.clock.advance(seconds: 3 * 86_400)
        try await source.load()
        #expect(source.selectedDay == today + 3 && source.data?.day == today + 3)
    }

    // MARK: - What the gateway does not say

    @Test func aDayThatCouldNotBeFetchedIsAskedForAgain() async throws {
        let desk = try ScheduleDesk()
        let source = ScheduleDataSource(service: desk.service, clock: desk.clock)
        await desk.gateway.setOffline(true)
        let selection = Task { try await source.select(today + 1) }
        try await desk.pass(.milliseconds(250))
        await #expect(throws: APIError.transport(.offline)) { try await selection.value }
        #expect(source.data == nil && source.shouldPoll())
        await desk.gateway.setOffline(false)
        try await source.refresh()
        #expect(source.data?.day == today + 1 && !source.shouldPoll())
    }

    @Test func aDayOnDiskIsShownWhileTheGatewayIsAsked() async throws {
        let desk = try ScheduleDesk()
        let day = today + 20
        await desk.gateway.set([ScheduleDesk.match(1, .upcoming, on: day)], on: day)
        let entry = try await desk.service.fetchSchedule(for: day)
        #expect(desk.service.cached(day) == nil, "it is outside the window")
        desk.clock.advance(seconds: 3_600)
        await desk.gateway.trouble(.held)
        let source = ScheduleDataSource(service: desk.service, clock: desk.clock)
        let selection = Task { try await source.select(day) }
        try await eventually("what is on disk is shown") { source.data == entry }
        #expect(source.isStale)
        try await desk.pass(.milliseconds(250))
        try await eventually("the gateway is asked") { await desk.gateway.heldCount == 1 }
        await desk.gateway.release()
        try await selection.value
        #expect(!source.isStale && source.data?.matches == entry.matches)
    }

    /// Matches are not thrown away for a wrong number.
    @Test(arguments: [
        (#"{"matches":[]}"#, 5_000), (#"{"matches":[],"retryAfterMs":null}"#, 5_000),
        (#"{"matches":[],"retryAfterMs":"soon"}"#, 5_000), (#"{"matches":[],"retryAfterMs":0}"#, 1_000),
        (#"{"matches":[],"retryAfterMs":-1}"#, 1_000), (#"{"matches":[],"retryAfterMs":2500.5}"#, 2_500),
        (#"{"matches":[],"retryAfterMs":1e300}"#, 300_000),
        (#"{"matches":[],"retryAfterMs":99999999999999999999}"#, 300_000),
    ])
    func anIntervalThatIsMissingOrAbsurdIsNoFailure(_ body: String, _ believed: Int) async throws {
        let desk = try ScheduleDesk()
        await desk.gateway.trouble(.body(body), .body(body))
        let source = live(desk)
        try await source.load()
        #expect(source.pollIntervalMs == believed)
        let schedule = ScheduleDataSource(service: desk.service, clock: desk.clock)
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
