@testable import SightscreenClientTesting
import SightscreenModels
import TestSupport
import Testing

@testable import SightscreenClient

/// The window in memory, debouncing, and fetches.
@MainActor
@Suite struct ScheduleServiceTests {
    let today = ScheduleHarness.today

    // MARK: - Sliding-window cache

    @Test func theDaysAroundTheShownOneAreInMemory() async throws {
        let harness = try ScheduleHarness()
        for offset in -5...5 { _ = try await harness.service.fetchSchedule(for: today + offset) }
        let known = (-5...5).filter { harness.service.cached(today + $0) != nil }
        #expect(known == [-3, -2, -1, 0, 1, 2, 3])

        let shown = Task { try await harness.service.show(today + 20) }
        try await harness.pass(.milliseconds(250))
        _ = try await shown.value
        #expect(harness.service.cached(today + 3) == nil, "it has left the window")
        #expect(harness.service.cached(today + 20) != nil)
        #expect(harness.service.cached(today) != nil, "today stays")
        #expect(harness.service.shownDay == today + 20)
    }

    @Test func aDayThatIsCachedIsNotFetchedAgain() async throws {
        let harness = try ScheduleHarness()
        let yesterday = today - 1
        await harness.gateway.set([ScheduleHarness.match(1, .completed, on: yesterday)], on: yesterday)
        let first = try await harness.service.fetchSchedule(for: yesterday)
        #expect(first.matches.map(\.id) == [MatchID(1)])
        for _ in 1...5 { #expect(try await harness.service.fetchSchedule(for: yesterday) == first) }
        #expect(await harness.gateway.callCount == 1)
    }

    // MARK: - Debouncing

    @Test func rapidDateChangesAreOneCall() async throws {
        let harness = try ScheduleHarness()
        var swipes: [Task<CachedDay, any Error>] = []
        for offset in 1...10 {
            swipes.append(Task { try await harness.service.show(today + offset) })
            // The calls of the last 250 ms wait, including this one.
            try await harness.pass(.milliseconds(100), sleepers: min(offset, 3))
        }
        let last = swipes.removeLast()
        try await eventually("the last one asks") {
            harness.clock.advance(by: .milliseconds(50))
            return await !harness.gateway.calls(of: today + 10).isEmpty
        }
        #expect(try await last.value.day == today + 10)
        for swipe in swipes {
            await #expect(throws: APIError.superseded) { try await swipe.value }
        }
        #expect(await harness.gateway.calls.map(\.line) == ["GET /matches?date=\(today + 10)&limit=200"])
    }

    @Test func aDayThatIsCachedIsShownWithoutWaiting() async throws {
        let harness = try ScheduleHarness()
        let day = today + 2
        _ = try await harness.service.fetchSchedule(for: day)
        // The clock stands still, so a call that waits for it would wait forever.
        #expect(try await harness.service.show(day).day == day)
        #expect(await harness.gateway.callCount == 1)
    }

    // MARK: - Today refresh

    @Test func todayIsAlwaysFetchedAgain() async throws {
        let harness = try ScheduleHarness()
        await harness.gateway.set([ScheduleHarness.match(1, .upcoming, on: today)], on: today)
        #expect(try await harness.service.fetchSchedule(for: today).matches[0].status == .upcoming)
        await harness.gateway.set([ScheduleHarness.match(1, .live, on: today)], on: today)
        #expect(try await harness.service.fetchSchedule(for: today).matches[0].status == .live)
        #expect(try await harness.service.refreshToday(harness.clock).matches[0].status == .live)
        #expect(await harness.gateway.callCount == 3)
    }

    @Test func atMidnightAnotherDayIsToday() async throws {
        let harness = try ScheduleHarness()
        let tomorrow = today + 1
        _ = try await harness.service.fetchSchedule(for: tomorrow)
        _ = try await harness.service.fetchSchedule(for: tomorrow)
        #expect(await harness.gateway.callCount == 1)
        harness.clock.advance(by: .seconds(tomorrow.startsAt - harness.clock.now))
        _ = try await harness.service.fetchSchedule(for: tomorrow)
        _ = try await harness.service.fetchSchedule(for: tomorrow)
        #expect(await harness.gateway.callCount == 3)
    }

    @Test func afterMidnightTheWindowIsAroundTheNewDay() async throws {
        let harness = try ScheduleHarness()
        for offset in -3...3 { _ = try await harness.service.fetchSchedule(for: today + offset) }
        // The cases are the next day, and an app that slept for days.
        for days in [1, 5] {
            let now = UTCDay(at: harness.clock.now) + days
            harness.clock.advance(seconds: now.startsAt - harness.clock.now)
            for offset in -3...3 { _ = try await harness.service.fetchSchedule(for: now + offset) }
            #expect((-9...9).filter { harness.service.cached(now + $0) != nil } == Array(-3...3))
            #expect(harness.service.shownDay == now)
        }
    }

    @Test func theDayThatTheUserHasChosenIsNotMovedByMidnight() async throws {
        let harness = try ScheduleHarness()
        _ = try await harness.service.fetchSchedule(for: today)
        let shown = Task { try await harness.service.show(today + 20) }
        try await harness.pass(.milliseconds(250))
        _ = try await shown.value
        harness.clock.advance(seconds: 86_400)
        _ = try await harness.service.fetchSchedule(for: today + 1)
        #expect(harness.service.shownDay == today + 20)
        #expect(harness.service.cached(today + 20) != nil && harness.service.cached(today + 1) != nil)
        #expect(harness.service.cached(today) == nil, "it was there for being today")
    }

    @Test func anEveningThatGoesOnPastMidnightIsRefreshedWithToday() async throws {
        let harness = try ScheduleHarness()
        await harness.gateway.set([ScheduleHarness.match(1, .live, on: today, at: 80_000)], on: today)
        _ = try await harness.service.fetchSchedule(for: today)
        harness.clock.advance(seconds: (today + 1).startsAt + 600 - harness.clock.now)
        await harness.gateway.set([ScheduleHarness.match(1, .completed, on: today, at: 80_000)], on: today)
        #expect(try await harness.service.refreshToday(harness.clock).day == today + 1)
        #expect(harness.service.cached(today)?.matches[0].status == .completed)
        #expect(await harness.gateway.callCount == 3)
        // The match is over now.
        _ = try await harness.service.refreshToday(harness.clock)
        #expect(await harness.gateway.callCount == 4)
    }

    // MARK: - Fetches

    @Test func fetchesOfADayAtTheSameTimeShareOneCall() async throws {
        let harness = try ScheduleHarness()
        await harness.gateway.trouble(.held)
        let day = today
        // All tasks ask before the first answer can come, because it needs turns of the main actor that come after
        // theirs.
        let tasks = (1...20).map { _ in Task { try await harness.service.refresh(day) } }
        try await eventually("one call is under way") { await harness.gateway.heldCount == 1 }
        await harness.gateway.release()
        for task in tasks { #expect(try await task.value.day == day) }
        #expect(await harness.gateway.callCount == 1)
    }

    @Test func whoLeavesDoesNotTakeTheAnswerFromTheOthers() async throws {
        let harness = try ScheduleHarness()
        await harness.gateway.trouble(.held)
        let day = today
        let leaves = Task { try await harness.service.refresh(day) }
        let stays = Task { try await harness.service.refresh(day) }
        try await eventually("one call is under way") { await harness.gateway.heldCount == 1 }
        leaves.cancel()
        await harness.gateway.release()
        #expect(try await stays.value.day == day)
        #expect(harness.service.cached(day) != nil)
    }

    @Test func whatHasNotChangedComesWithoutABody() async throws {
        let harness = try ScheduleHarness()
        await harness.gateway.set([ScheduleHarness.match(1, .live, on: today)], on: today)
        let first = try await harness.service.refresh(today)
        harness.clock.advance(seconds: 5)
        let second = try await harness.service.refresh(today)
        #expect(await harness.gateway.calls.map(\.status) == [200, 304])
        #expect(second.matches == first.matches)
        #expect(second.fetchedAt == first.fetchedAt + 5)

        // The tag survives the app.
        await harness.relaunch()
        _ = try await harness.service.refresh(today)
        #expect(await harness.gateway.calls.last?.status == 304)
    }

    @Test func aDayOfSeveralPagesIsRead() async throws {
        let harness = try ScheduleHarness()
        await harness.gateway.setPageSize(2)
        let matches = (1...7).map { ScheduleHarness.match($0, .upcoming, on: today, at: 43_200 + Int($0)) }
        await harness.gateway.set(matches, on: today)
        let entry = try await harness.service.fetchSchedule(for: today)
        #expect(entry.matches.map(\.id.rawValue) == [1, 2, 3, 4, 5, 6, 7])
        #expect(entry.tag == nil, "a tag of one page says nothing of the others")
        #expect(await harness.gateway.callCount == 4)
    }

    @Test func pagesWithoutEndAreLeft() async throws {
        let harness = try ScheduleHarness()
        await harness.gateway.setPageSize(1)
        await harness.gateway.set((1...50).map { ScheduleHarness.match($0, .upcoming, on: today) }, on: today)
        #expect(try await harness.service.fetchSchedule(for: today).matches.count == SightscreenAPI.pagesMax)
    }

    @Test(arguments: [ScheduleGateway.Trouble.transport(.offline), .refusal(500), .garbage])
    func aFailureLeavesWhatIsCached(_ trouble: ScheduleGateway.Trouble) async throws {
        let harness = try ScheduleHarness()
        let first = try await harness.service.fetchSchedule(for: today)
        await harness.gateway.trouble(trouble)
        await #expect(throws: APIError.self) { try await harness.service.fetchSchedule(for: today) }
        #expect(harness.service.cached(today) == first)
        #expect(try await harness.service.fetchSchedule(for: today) == first)
    }

    // MARK: - The fake

    @Test func theFakeServesCannedDays() async throws {
        let day = CachedDay(
            day: today, matches: SampleMatches.all(now: ScheduleHarness.now), fetchedAt: ScheduleHarness.now)
        let fake: any ScheduleService = FakeScheduleService([day])
        #expect(fake.shownDay == today)
        #expect(fake.cached(today) == day)
        #expect(try await fake.fetchSchedule(for: today) == day)
        #expect(try await fake.show(today + 1).matches == [])
    }

    @Test func theFakeRefusesWhenItIsTold() {
        let fake = FakeScheduleService()
        fake.refuse(.signedOut)
        #expect(throws: APIError.signedOut) { try fake.fetchSchedule(for: today) }
    }
}
