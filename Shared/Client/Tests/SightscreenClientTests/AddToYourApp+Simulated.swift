// The code of Shared/Client/docs/add-to-your-app.md for the app's own tests. `AddToYourAppTests` compares it with the
// page, and the test in it is run.
import SightscreenClient
import SightscreenClientTesting
import SightscreenModels
import Testing

extension AppPorts {
    /// The ports of a phone in memory, with a backend that answers from samples.
    static func simulated(_ kit: SimulatedActivityKit, _ clock: SimulatedClock) -> AppPorts {
        AppPorts(
            gateway: SampleGateway(clock: clock), web: SampleCognito(), activityKit: kit,
            background: kit, notifications: FakeNotificationPort(), keychain: InMemoryKeychain(),
            sessionStore: InMemoryKeyValueStore(), store: InMemoryKeyValueStore(), matchFiles: InMemoryFileStore(),
            imageFiles: InMemoryFileStore(), thumbnail: { $0 }, clock: clock,
            profile: DeviceProfile(deviceID: DeviceID("a phone"), appVersion: "1.0"),
            cognito: CognitoSettings(clientID: "any", region: "eu-west-1"))
    }
}

@MainActor
@Suite struct FollowButtonTests {
    @Test func theFollowButtonPutsAMatchOnTheLockScreen() async throws {
        let clock = SimulatedClock(now: 1_800_000_000)
        let kit = SimulatedActivityKit(clock: clock, seed: 1)
        await kit.switchOn()
        let app = AppServices(.simulated(kit, clock))
        try await app.auth.signIn(email: "asha@example.com", password: "any")
        await app.bootstrap.start()
        #expect(app.bootstrap.state == .ready)

        let live = try #require(SampleMatches.all(now: clock.now).first { $0.status == .live })
        _ = try await app.liveActivities.follow(live)
        #expect(await kit.activities().map(\.matchID) == [live.id])
        #expect(await app.liveActivities.followButton(for: live.id) == FollowButton(.filled))

        await app.liveActivities.unfollow(live.id)
        #expect(await app.liveActivities.followButton(for: live.id).state == .empty)
        await app.close()
        await kit.switchOff()
    }
}
