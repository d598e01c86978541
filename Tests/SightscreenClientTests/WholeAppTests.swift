import ActivitySimulator
import Messages
import Sightscreen
import SightscreenClient
import TestKit
import Testing

/// Whole launches of the app that deploy/docs/add-to-your-app.md shows: every service there is, wired as the page does it,
/// over a phone and servers in memory.
@MainActor
@Suite struct WholeAppTests {
    private static let today = MatchDay(at: Sample.now)

    /// A phone that the app was used on: somebody is signed in, and today's matches are on its disk.
    private func usedPhone() async throws -> AppPhone {
        let phone = try await AppPhone()
        await phone.schedule.set(SampleMatches.all(now: Sample.now), on: Self.today)
        try await phone.app.auth.signIn(email: AppPhone.email, password: AppPhone.password)
        await phone.app.bootstrap.start()
        try #require(phone.app.bootstrap.state == .ready)
        #expect(try await phone.app.open(Self.today).count == 3)
        return phone
    }

    private func hasMatches(_ phone: AppPhone) -> Bool { phone.app.schedule.cached(Self.today)?.matches.count == 3 }

    @Test func aDayIsShownWithItsLogos() async throws {
        let phone = try await usedPhone()
        // Of the match in play and of the one to come.
        #expect(await phone.images.urls.count == 4)
        await phone.end()
    }

    @Test func aColdStartHasMatchesBeforeAnythingIsAsked() async throws {
        let phone = try await usedPhone()
        await phone.relaunch()
        #expect(!hasMatches(phone))
        await phone.door.hold()
        let launch = Task { await phone.app.bootstrap.start() }
        try await eventually("the config is asked for") { await phone.door.heldCount == 1 }
        #expect(phone.app.bootstrap.state == .launching(.configCheck))
        #expect(hasMatches(phone))
        await phone.door.release()
        await launch.value
        #expect(phone.app.bootstrap.state == .ready)
        await phone.end()
    }

    @Test func anOfflineStartIsAnAppWithWhatItKnows() async throws {
        let phone = try await usedPhone()
        await phone.setOffline(true)
        await phone.relaunch()
        await phone.app.bootstrap.start()
        #expect(phone.app.bootstrap.state == .ready)
        let source = ScheduleDataSource(service: phone.app.schedule, clock: phone.clock)
        #expect(source.data?.matches.count == 3, "in the first frame")
        let poller = DataPoller(source, clock: phone.clock) { 1 }
        poller.appear()
        try await eventually("the poller has tried") { poller.lastError == .transport(.offline) }
        #expect(source.data?.matches.count == 3)
        await phone.setOffline(false)
        try await phone.until("the network is back") { poller.lastError == nil && !source.isStale }
        poller.disappear()
        await phone.end()
    }

    @Test func anAppOfAnotherSchemaBeginsAnew() async throws {
        let phone = try await usedPhone()
        await phone.app.matches.flush()
        // As an app with another version of the schema left it.
        try phone.matchFiles.write(Array("0".utf8), to: "schema")
        await phone.relaunch()
        await phone.app.bootstrap.start()
        #expect(phone.app.bootstrap.state == .ready)
        #expect(!hasMatches(phone))
        #expect(phone.matchFiles.list().map(\.name) == ["schema"])
        #expect(try await phone.app.open(Self.today).count == 3)
        await phone.end()
    }

    @Test func maintenanceHaltsTheLaunchAndKeepsTheCache() async throws {
        let phone = try await usedPhone()
        await phone.door.say(AppPhone.config(maintenance: true))
        await phone.relaunch()
        await phone.app.bootstrap.start()
        #expect(phone.app.bootstrap.state == .halted(.maintenance(message: "Back at 10.")))
        let calls = await phone.schedule.callCount
        await phone.door.say(AppPhone.config())
        try await phone.until("it goes on by itself") { phone.app.bootstrap.state == .ready }
        #expect(hasMatches(phone))
        #expect(await phone.schedule.callCount == calls, "nothing was asked meanwhile")
        await phone.end()
    }

    @Test func aForcedUpdateStaysWithoutANetwork() async throws {
        let phone = try await usedPhone()
        await phone.door.say(AppPhone.config("2.0.0"))
        for isOffline in [false, true] {
            await phone.setOffline(isOffline)
            await phone.relaunch()
            await phone.app.bootstrap.start()
            #expect(
                phone.app.bootstrap.state
                    == .halted(.forceUpdate(minimum: "2.0.0", storeURL: AppPhone.config().storeUrl)))
        }
        await phone.end()
    }

    @Test func aLiveListIsPolledFromTheStart() async throws {
        let phone = try await usedPhone()
        await phone.schedule.setLive([SampleMatches.live(now: Sample.now, isClose: true)], retryAfterMs: 2_000)
        let poller = DataPoller(phone.app.live, clock: phone.clock) { 1 }
        poller.appear()
        try await phone.until("three answers") {
            await phone.schedule.calls.count { $0.line == "GET /matches/live" } >= 3
        }
        #expect(phone.app.live.pollIntervalMs == 2_000)
        poller.disappear()
        await phone.end()
    }
}
