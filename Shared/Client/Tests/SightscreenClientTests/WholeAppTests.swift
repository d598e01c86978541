import SightscreenClient
import SightscreenClientTesting
import SightscreenModels
import TestSupport
import Testing

/// The app in Shared/Client/docs/add-to-your-app.md with all its services, wired as on the page, over a phone and
/// servers in memory.
@MainActor
@Suite struct WholeAppTests {
    private static let today = UTCDay(at: Sample.now)

    /// Returns a phone that the app was used on: a user is signed in, and today's matches are on its disk.
    private func usedPhone() async throws -> AppPhone {
        let phone = try await AppPhone()
        await phone.schedule.set(SampleMatches.all(now: Sample.now), on: Self.today)
        try await phone.signIn()
        await phone.app.bootstrap.start()
        try #require(phone.app.bootstrap.state == .ready)
        #expect(try await phone.app.open(Self.today).count == 3)
        return phone
    }

    private func hasMatches(_ phone: AppPhone) -> Bool { phone.app.schedule.cached(Self.today)?.matches.count == 3 }

    @Test func aDayIsShownWithItsLogos() async throws {
        let phone = try await usedPhone()
        // The logos belong to the match in play and the upcoming one.
        #expect(await phone.images.urls.count == 4)
        await phone.end()
    }

    @Test func aFollowedMatchsLogosAreThereForItsCard() async throws {
        let phone = try await AppPhone()
        try await phone.signIn()
        await phone.app.bootstrap.start()
        let live = SampleMatches.live(now: Sample.now)
        let logos = [live.home, live.away].compactMap(\.logo)
        try #require(logos.count == 2)
        await phone.gateway.play(live)
        _ = try await phone.app.liveActivities.follow(live)
        try await phone.until("they are loaded") { await phone.images.urls.sorted() == logos.sorted() }
        let attributes = try #require(await phone.kit.activities.first).activity.attributes
        #expect([attributes.homeLogo, attributes.awayLogo] == logos)
        await phone.end()
    }

    @Test func aCardThatAPushStartsHasItsLogosLoaded() async throws {
        let phone = try await AppPhone()
        try await phone.signIn()
        await phone.app.bootstrap.start()
        var attributes = Sample.attributes(AppPhone.match.id, start: "s-1")
        attributes.homeLogo = "https://cdn.sportmonks.com/images/cricket/teams/6/6.png"
        let start = TestPush.start(
            stamp: Stamp(phone.clock.now), contentState: Sample.state(), staleAt: nil, relevance: 50,
            alert: PushAlert(title: "MI v CSK", body: "Live"), attributesType: "LiveActivityAttributes",
            attributes: attributes)
        let push = RawPush(
            token: await phone.kit.startToken.rawValue,
            headers: ["apns-push-type": "liveactivity", "apns-priority": "10"], body: try start.encoded())
        guard case .started = await phone.kit.receive(push) else {
            Issue.record("the start was not taken")
            return
        }
        try await phone.until("the logo is loaded") { await phone.images.urls == [attributes.homeLogo] }
        await phone.end()
    }

    /// The samples answer the deletion of an account, which every app has to offer and test.
    @Test func anAppsOwnTestDeletesTheAccount() async throws {
        let clock = SimulatedClock(now: Sample.now)
        let kit = SimulatedActivityKit(clock: clock, seed: 1)
        await kit.switchOn()
        let app = AppServices(.simulated(kit, clock))
        try await app.auth.signIn(email: "asha@example.com", password: "any")
        await app.bootstrap.start()
        _ = try await app.liveActivities.follow(SampleMatches.live(now: clock.now))
        try await app.bootstrap.deleteAccount()
        #expect(app.bootstrap.state == .halted(.signIn))
        #expect(app.auth.currentUser == nil)
        #expect(await kit.activities().isEmpty)
        await app.close()
        await kit.switchOff()
    }

    @Test func aColdStartHasMatchesBeforeAnythingIsAsked() async throws {
        let phone = try await usedPhone()
        await phone.relaunch()
        #expect(!hasMatches(phone))
        await phone.configGateway.hold()
        let launch = Task { await phone.app.bootstrap.start() }
        try await eventually("the config is asked for") { await phone.configGateway.heldCount == 1 }
        #expect(phone.app.bootstrap.state == .launching(.configCheck))
        #expect(hasMatches(phone))
        await phone.configGateway.release()
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
        // The file is as an app with another schema version left it.
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
        await phone.configGateway.say(AppPhone.config(maintenance: true))
        await phone.relaunch()
        await phone.app.bootstrap.start()
        #expect(phone.app.bootstrap.state == .halted(.maintenance(message: "Back at 10.")))
        let calls = await phone.schedule.callCount
        await phone.configGateway.say(AppPhone.config())
        try await phone.until("it goes on by itself") { phone.app.bootstrap.state == .ready }
        #expect(hasMatches(phone))
        #expect(await phone.schedule.callCount == calls, "nothing was asked meanwhile")
        await phone.end()
    }

    @Test func aForcedUpdateStaysWithoutANetwork() async throws {
        let phone = try await usedPhone()
        await phone.configGateway.say(AppPhone.config("2.0.0"))
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

    // MARK: - Fake mode

    private func contents(_ files: InMemoryFileStore) -> [String: [UInt8]] {
        Dictionary(uniqueKeysWithValues: files.list().map { ($0.name, files.read($0.name) ?? []) })
    }

    /// The fake API's matches, follows and versions are never used with the gateway, nor the gateway's with the fake
    /// API.
    @Test func fakeModeHasItsOwnData() async throws {
        let phone = try await usedPhone()
        let (real, fake) = (Sample.match(7, .upcoming), SampleMatches.upcoming(now: Sample.now))
        await phone.gateway.play(real)
        try await phone.app.liveActivities.follow(real)
        await phone.app.close()
        let (fakeFiles, fakeStore) = (InMemoryFileStore(), InMemoryKeyValueStore())
        let menu = DebugMenu(phone.ports, fakeAPI: fakePorts(phone, fakeStore, fakeFiles))
        await menu.services.bootstrap.start()
        #expect(menu.services.bootstrap.state == .ready)
        try await phone.until("the gateway knows the phone") { await !phone.gateway.devices.isEmpty }
        let keys = ["followedMatchIds", "followedMatchIds.user", "appConfig"]
        let (files, values) = (contents(phone.matchFiles), keys.map { phone.store.strings(forKey: $0) })
        #expect(!files.isEmpty && !values.contains(nil))

        await menu.setUsesFakeAPI(true)
        #expect(await phone.gateway.devices.isEmpty, "no push comes of what is not seen")
        let calls = await phone.gateway.calls.count
        let services = menu.services
        await services.bootstrap.start()
        #expect(services.bootstrap.state == .ready)
        #expect(services.auth.currentUser?.id == Sample.user, "the session is the same")
        #expect(services.schedule.cached(Self.today) == nil)
        #expect(await services.liveActivities.followButton(for: real.id) == .empty)
        #expect(try await services.open(Self.today).count == 3)
        try await services.liveActivities.follow(fake)
        await services.matches.flush()
        #expect(!fakeFiles.list().isEmpty)
        #expect(contents(phone.matchFiles) == files)
        #expect(keys.map { phone.store.strings(forKey: $0) } == values)
        #expect(await phone.gateway.calls.count == calls)

        // Back on the gateway without a network, the app knows what the gateway returned before.
        await menu.setUsesFakeAPI(false)
        await phone.setOffline(true)
        await menu.services.bootstrap.start()
        #expect(menu.services.bootstrap.state == .ready)
        #expect(menu.services.auth.currentUser?.id == Sample.user)
        #expect(await menu.services.liveActivities.followButton(for: real.id).state == .filled)
        #expect(await menu.services.liveActivities.followButton(for: fake.id) == .empty)
        #expect(menu.services.schedule.cached(Self.today)?.matches.count == 3)
        await phone.setOffline(false)
        await menu.services.liveActivities.connectionRestored()
        try await phone.until("the gateway knows the phone again") { await !phone.gateway.devices.isEmpty }
        await menu.services.close()
        await phone.end()
    }

    /// The app is closed in fake mode, and the next launch begins in it, with its data.
    @Test func fakeModeSurvivesTheApp() async throws {
        let phone = try await usedPhone()
        await phone.app.close()
        let fake = fakePorts(phone, InMemoryKeyValueStore(), InMemoryFileStore())
        let first = DebugMenu(phone.ports, fakeAPI: fake)
        await first.setUsesFakeAPI(true)
        await first.services.bootstrap.start()
        _ = try await first.services.open(Self.today)
        await first.services.close()
        let second = DebugMenu(phone.ports, fakeAPI: fake)
        #expect(second.admin.usesFakeAPI)
        await second.services.bootstrap.start()
        #expect(second.services.bootstrap.state == .ready)
        #expect(second.services.schedule.cached(Self.today)?.matches.count == 3)
        await second.services.close()
        await phone.end()
    }

    private func fakePorts(_ phone: AppPhone, _ store: InMemoryKeyValueStore, _ files: InMemoryFileStore) -> AppPorts {
        phone.ports.onFakeAPI(SampleGateway(clock: phone.clock), store: store, matchFiles: files)
    }
}

extension AppServices {
    /// Returns a day's matches as its view shows them, with their logos loaded.
    fileprivate func open(_ day: UTCDay) async throws -> [MatchItem] {
        let schedule = try await schedule.fetchSchedule(for: day)
        await images.prefetch(schedule.matches)
        return schedule.matches
    }
}
