@testable import SightscreenClientTesting
import SightscreenModels
import TestSupport
import Testing

@testable import SightscreenClient

/// The rows of ScheduleService.
@MainActor
@Suite struct ScheduleServiceTests {
    let today = ScheduleDesk.today

    // MARK: - Sliding-window cache

    @Test func theDaysAroundTheShownOneAreInMemory() async throws {
        let desk = try ScheduleDesk()
        for offset in -5...5 { _ = try await desk.service.fetchSchedule(for: today + offset) }
        let known = (-5...5).filter { desk.service.cached(today + $0) != nil }
        #expect(known == [-3, -2, -1, 0, 1, 2, 3])

        let shown = Task { try await desk.service.show(today + 20) }
        try await desk.pass(.milliseconds(250))
        _ = try await shown.value
        #expect(desk.service.cached(today + 3) == nil, "it has left the window")
        #expect(desk.service.cached(today + 20) != nil)
        #expect(desk.service.cached(today) != nil, "today stays")
        #expect(desk.service.shownDay == today + 20)
    }

    @Test func aDayThatIsCachedIsNotFetchedAgain() async throws {
        let desk = try ScheduleDesk()
        let yesterday = today - 1
        await desk.gateway.set([ScheduleDesk.match(1, .completed, on: yesterday)], on: yesterday)
        let first = try await desk.service.fetchSchedule(for: yesterday)
        #expect(first.matches.map(\.id) == [MatchID(1)])
        for _ in 1...5 { #expect(try await desk.service.fetchSchedule(for: yesterday) == first) }
        #expect(await desk.gateway.callCount == 1)
    }

    // MARK: - Debouncing

    @Test func rapidDateChangesAreOneCall() async throws {
        let desk = try ScheduleDesk()
        var swipes: [Task<CachedDay, any Error>] = []
        for offset in 1...10 {
            swipes.append(Task { try await desk.service.show(today + offset) })
            // Those of the last 250 ms wait, this one included.
            try await desk.pass(.milliseconds(100), sleepers: min(offset, 3))
        }
        let last = swipes.removeLast()
        try await eventually("the last one asks") {
            desk.clock.advance(by: .milliseconds(50))
            return await !desk.gateway.calls(of: today + 10).isEmpty
        }
        #expect(try await last.value.day == today + 10)
        for swipe in swipes {
            await #expect(throws: APIError.superseded) { try await swipe.value }
        }
        #expect(await desk.gateway.calls.map(\.line) == ["GET /matches?date=\(today + 10)&limit=200"])
    }

    @Test func aDayThatIsCachedIsShownWithoutWaiting() async throws {
        let desk = try ScheduleDesk()
        let day = today + 2
        _ = try await desk.service.fetchSchedule(for: day)
        // The clock stands still: who waits for it waits forever.
        #expect(try await desk.service.show(day).day == day)
        #expect(await desk.gateway.callCount == 1)
    }

    // MARK: - Today refresh

    @Test func todayIsAlwaysFetchedAgain() async throws {
        let desk = try ScheduleDesk()
        await desk.gateway.set([ScheduleDesk.match(1, .upcoming, on: today)], on: today)
        #expect(try await desk.service.fetchSchedule(for: today).matches[0].status == .upcoming)
        await desk.gateway.set([ScheduleDesk.match(1, .live, on: today)], on: today)
        #expect(try await desk.service.fetchSchedule(for: today).matches[0].status == .live)
        #expect(try await desk.service.refreshToday(desk.clock).matches[0].status == .live)
        #expect(await desk.gateway.callCount == 3)
    }

    @Test func atMidnightAnotherDayIsToday() async throws {
        let desk = try ScheduleDesk()
        let tomorrow = today + 1
        _ = try await desk.service.fetchSchedule(for: tomorrow)
        _ = try await desk.service.fetchSchedule(for: tomorrow)
        #expect(await desk.gateway.callCount == 1)
        desk.clock.advance(by: .seconds(tomorrow.startsAt - desk.clock.now))
        _ = try await desk.service.fetchSchedule(for: tomorrow)
        _ = try await desk.service.fetchSchedule(for: tomorrow)
        #expect(await desk.gateway.callCount == 3)
    }

    @Test func afterMidnightTheWindowIsAroundTheNewDay() async throws {
        let desk = try ScheduleDesk()
        for offset in -3...3 { _ = try await desk.service.fetchSchedule(for: today + offset) }
        // The next day, and an app that was asleep for days.
        for days in [1, 5] {
            let now = UTCDay(at: desk.clock.now) + days
            desk.clock.advance(seconds: now.startsAt - desk.clock.now)
            for offset in -3...3 { _ = try await desk.service.fetchSchedule(for: now + offset) }
            #expect((-9...9).filter { desk.service.cached(now + $0) != nil } == Array(-3...3))
            #expect(desk.service.shownDay == now)
        }
    }

    @Test func theDayThatTheUserHasChosenIsNotMovedByMidnight() async throws {
        let desk = try ScheduleDesk()
        _ = try await desk.service.fetchSchedule(for: today)
        let shown = Task { try await desk.service.show(today + 20) }
        try await desk.pass(.milliseconds(250))
        _ = try await shown.value
        desk.clock.advance(seconds: 86_400)
        _ = try await desk.service.fetchSchedule(for: today + 1)
        #expect(desk.service.shownDay == today + 20)
        #expect(desk.service.cached(today + 20) != nil && desk.service.cached(today + 1) != nil)
        #expect(desk.service.cached(today) == nil, "it was there for being today")
    }

    @Test func anEveningThatGoesOnPastMidnightIsRefreshedWithToday() async throws {
        let desk = try ScheduleDesk()
        await desk.gateway.set([ScheduleDesk.match(1, .live, on: today, at: 80_000)], on: today)
        _ = try await desk.service.fetchSchedule(for: today)
        desk.clock.advance(seconds: (today + 1).startsAt + 600 - desk.clock.now)
        await desk.gateway.set([ScheduleDesk.match(1, .completed, on: today, at: 80_000)], on: today)
        #expect(try await desk.service.refreshToday(desk.clock).day == today + 1)
        #expect(desk.service.cached(today)?.matches[0].status == .completed)
        #expect(await desk.gateway.callCount == 3)
        // It is over now.
        _ = try await desk.service.refreshToday(desk.clock)
        #expect(await desk.gateway.callCount == 4)
    }

    // MARK: - How it fetches

    @Test func fetchesOfADayAtTheSameTimeShareOneCall() async throws {
        let desk = try ScheduleDesk()
        await desk.gateway.trouble(.held)
        let day = today
        // All of them ask before the first answer can come: it takes turns of the main actor that are behind theirs.
        let tasks = (1...20).map { _ in Task { try await desk.service.refresh(day) } }
        try await eventually("one call is under way") { await desk.gateway.heldCount == 1 }
        await desk.gateway.release()
        for task in tasks { #expect(try await task.value.day == day) }
        #expect(await desk.gateway.callCount == 1)
    }

    @Test func whoLeavesDoesNotTakeTheAnswerFromTheOthers() async throws {
        let desk = try ScheduleDesk()
        await desk.gateway.trouble(.held)
        let day = today
        let leaves = Task { try await desk.service.refresh(day) }
        let stays = Task { try await desk.service.refresh(day) }
        try await eventually("one call is under way") { await desk.gateway.heldCount == 1 }
        leaves.cancel()
        await desk.gateway.release()
        #expect(try await stays.value.day == day)
        #expect(desk.service.cached(day) != nil)
    }

    @Test func whatHasNotChangedComesWithoutABody() async throws {
        let desk = try ScheduleDesk()
        await desk.gateway.set([ScheduleDesk.match(1, .live, on: today)], on: today)
        let first = try await desk.service.refresh(today)
        desk.clock.advance(seconds: 5)
        let second = try await desk.service.refresh(today)
        #expect(await desk.gateway.calls.map(\.status) == [200, 304])
        #expect(second.matches == first.matches)
        #expect(second.fetchedAt == first.fetchedAt + 5)

        // The tag survives the app.
        await desk.relaunch()
        _ = try await desk.service.refresh(today)
        #expect(await desk.gateway.calls.last?.status == 304)
    }

    @Test func aDayOfSeveralPagesIsRead() async throws {
        let desk = try ScheduleDesk()
        await desk.gateway.setPageSize(2)
        let matches = (1...7).map { ScheduleDesk.match($0, .upcoming, on: today, at: 43_200 + Int($0)) }
        await desk.gateway.set(matches, on: today)
        let entry = try await desk.service.fetchSchedule(for: today)
        #expect(entry.matches.map(\.id.rawValue) == [1, 2, 3, 4, 5, 6, 7])
        #expect(entry.tag == nil, "a tag of one page says nothing of the others")
        #expect(await desk.gateway.callCount == 4)
    }

    @Test func pagesWithoutEndAreLeft() async throws {
        let desk = try ScheduleDesk()
        await desk.gateway.setPageSize(1)
        await desk.gateway.set((1...50).map { ScheduleDesk.match($0, .upcoming, on: today) }, on: today)
        #expect(try await desk.service.fetchSchedule(for: today).matches.count == SightscreenAPI.pagesMax)
    }

    @Test(arguments: [ScheduleGateway.Trouble.transport(.offline), .refusal(500), .garbage])
    func aFailureLeavesWhatIsCached(_ trouble: ScheduleGateway.Trouble) async throws {
        let desk = try ScheduleDesk()
        let first = try await desk.service.fetchSchedule(for: today)
        await desk.gateway.trouble(trouble)
        await #expect(throws: APIError.self) { try await desk.service.fetchSchedule(for: today) }
        #expect(desk.service.cached(today) == first)
        #expect(try await desk.service.fetchSchedule(for: today) == first)
    }

    // MARK: - The fake

    @Test func theFakeServesCannedDays() async throws {
        let day = CachedDay(day: today, matches: SampleMatches.all(now: ScheduleDesk.now), fetchedAt: ScheduleDesk.now)
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
