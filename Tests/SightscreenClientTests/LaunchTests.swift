import APNsProtocol
import ActivitySimulator
import Messages
import Sightscreen
import SightscreenClient
import TestKit
import Testing

/// Whole launches: every real service over a phone, a gateway and a Cognito in memory.
@MainActor
@Suite struct LaunchTests {
    /// One phone, its app, and the two servers it speaks to. The app can be killed and launched; the rest stays.
    @MainActor
    private final class House {
        static let email = "asha@example.com"
        static let password = "Corr3ct-horse!"
        static let storeURL = "https://apps.apple.com/app/id1"
        static let match = Sample.match()

        let clock = SimulatedClock(now: Sample.now)
        let kit: SimulatedActivityKit
        let gateway: ScriptedGateway
        let door: FrontDoor
        let cognito = ScriptedCognito()
        let keychain = InMemoryKeychain()
        let store = InMemoryKeyValueStore()
        let notificationPort = FakeNotificationPort()
        private(set) var version = "1.0.0"
        private(set) var app: App

        struct App {
            var auth: CognitoAuthService
            var config: RealAppConfigService
            var liveActivities: RealLiveActivityService
            var notifications: RealNotificationService
            var bootstrap: AppBootstrap
        }

        init() async throws {
            kit = SimulatedActivityKit(clock: clock, seed: 1, limits: PhoneLimits())
            gateway = try ScriptedGateway()
            door = FrontDoor(Self.config(), before: gateway)
            app = Self.build(kit, door, cognito, keychain, store, notificationPort, clock, version)
            await gateway.play(Self.match)
            await cognito.add(Self.email, .init(sub: Sample.user.rawValue, password: Self.password))
            // A gateway in memory knows tokens by their look.
            await cognito.tell { [gateway] token in await gateway.accept(token, as: Sample.user) }
            await kit.switchOn()
        }

        static func config(_ minimum: String = "1.0.0", maintenance: Bool = false) -> AppConfig {
            AppConfig(
                minAppVersion: minimum, storeUrl: storeURL, maintenanceMode: maintenance,
                maintenanceMessage: maintenance ? "Back at 10." : nil)
        }

        private static func build(
            _ kit: SimulatedActivityKit, _ door: FrontDoor, _ cognito: ScriptedCognito, _ keychain: InMemoryKeychain,
            _ store: InMemoryKeyValueStore, _ notificationPort: FakeNotificationPort, _ clock: SimulatedClock,
            _ version: String
        ) -> App {
            var profile = Sample.profile
            profile.appVersion = version
            let auth = CognitoAuthService(
                settings: CognitoSettings(
                    clientID: ScriptedCognito.clientID, endpoint: ScriptedCognito.endpoint), web: cognito,
                keychain: keychain, store: store, clock: clock)
            let config = RealAppConfigService(transport: door, store: store, profile: profile)
            let liveActivities = RealLiveActivityService(
                activityKit: kit, transport: door, session: auth, store: store, clock: clock, profile: profile
            ) { 1 }
            let notifications = RealNotificationService(port: notificationPort, phone: liveActivities)
            let steps = BootSteps(
                config: config, auth: auth, liveActivities: liveActivities, notifications: notifications)
            return App(
                auth: auth, config: config, liveActivities: liveActivities, notifications: notifications,
                bootstrap: AppBootstrap(steps: steps, clock: clock))
        }

        var state: AppState { app.bootstrap.state }

        func signIn() async throws { try await app.auth.signIn(email: Self.email, password: Self.password) }

        /// - Parameter version: of the app that comes next: an update.
        func killApp(version: String? = nil) async {
            await app.bootstrap.stop()
            await app.liveActivities.stop()
            await kit.killApp()
            self.version = version ?? self.version
            app = Self.build(kit, door, cognito, keychain, store, notificationPort, clock, self.version)
            await kit.setForeground(true)
        }

        func setOffline(_ offline: Bool) async {
            await door.fail(offline ? .transport(.offline) : nil)
            await gateway.setOffline(offline)
            await cognito.setOffline(offline)
        }

        func until(_ what: String, _ condition: () async throws -> Bool) async throws {
            try await eventually(what) {
                if try await condition() { return true }
                clock.advance(by: .milliseconds(500))
                return false
            }
        }

        func end() async {
            await app.bootstrap.stop()
            await app.liveActivities.stop()
            await kit.switchOff()
        }
    }

    /// A phone that has been used: signed in, with a follow, its app killed.
    private func used() async throws -> House {
        let house = try await House()
        await house.gateway.setFollows([House.match.id], of: Sample.user)
        try await house.signIn()
        await house.app.bootstrap.start()
        #expect(house.state == .ready)
        await house.killApp()
        return house
    }

    @Test func theFirstLaunchAsksWhoIsThereAndGoesOn() async throws {
        let house = try await House()
        await house.gateway.setFollows([House.match.id], of: Sample.user)
        await house.app.bootstrap.start()
        #expect(house.state == .halted(.signIn))
        // Nothing runs behind the screen.
        #expect(await house.kit.listenerCount == 0)
        #expect(await house.gateway.calls.isEmpty)
        try await house.signIn()
        try await eventually("it is ready") { house.state == .ready }
        #expect(await house.app.liveActivities.bell(for: House.match.id) == Bell(.filled))
        #expect(await house.notificationPort.isRegistered)
        try await house.until("the gateway knows the phone") {
            await house.gateway.startTokens[Sample.profile.deviceID] == house.kit.startToken
        }
        await house.end()
    }

    @Test func aColdStartTakesUpSessionFollowsAndActivities() async throws {
        let house = try await used()
        await house.gateway.trouble("/user/follows", .held)
        let bootstrap = house.app.bootstrap
        async let launched: Void = bootstrap.start()
        try await eventually("the follows are asked for") { await house.gateway.heldCount == 1 }
        // Until they are there nothing is observed, and nothing said of the phone.
        #expect(house.state == .launching(.followSync))
        #expect(await house.kit.listenerCount == 0)
        #expect(await house.gateway.calls.last?.line == "GET /user/follows")
        await house.gateway.release()
        await launched
        #expect(house.state == .ready)
        #expect(house.app.auth.currentAppUser?.email == House.email)
        #expect(await house.kit.listenerCount > 0)
        #expect(await house.cognito.calls.count == 1)
        await house.end()
    }

    /// Last known config and follows are used, and what waits goes when there is a network.
    @Test func anOfflineStartGoesOnWithWhatIsKnown() async throws {
        let house = try await used()
        await house.setOffline(true)
        await house.app.bootstrap.start()
        #expect(house.state == .ready)
        #expect(await house.app.liveActivities.bell(for: House.match.id) == Bell(.filled))
        #expect(house.app.config.config == House.config())
        await house.setOffline(false)
        await house.gateway.setFollows([], of: Sample.user)
        await house.app.liveActivities.connectionRestored()
        try await house.until("the follows are the backend's") {
            await house.app.liveActivities.bell(for: House.match.id) == .empty
        }
        await house.end()
    }

    /// Hours later: the token has run out, too.
    @Test func anOfflineStartWithATokenThatHasRunOutIsOne() async throws {
        let house = try await used()
        house.clock.advance(seconds: 50_000)
        await house.setOffline(true)
        await house.app.bootstrap.start()
        #expect(house.state == .ready)
        #expect(house.app.auth.currentAppUser != nil)
        await house.end()
    }

    @Test func aForcedUpdateStaysInForceWithoutANetwork() async throws {
        let house = try await used()
        await house.door.say(House.config("2.0.0"))
        let screen = AppState.halted(.forceUpdate(minimum: "2.0.0", storeURL: House.storeURL))
        await house.app.bootstrap.start()
        #expect(house.state == screen)
        await house.killApp()
        await house.setOffline(true)
        await house.app.bootstrap.start()
        #expect(house.state == screen)
        // The update is installed, still without a network.
        await house.killApp(version: "2.0.0")
        await house.app.bootstrap.start()
        #expect(house.state == .ready)
        await house.end()
    }

    @Test func maintenanceClosesTheAppAndOpensItAgain() async throws {
        let house = try await used()
        await house.door.say(House.config(maintenance: true))
        await house.app.bootstrap.start()
        #expect(house.state == .halted(.maintenance(message: "Back at 10.")))
        #expect(await house.kit.listenerCount == 0)
        await house.door.say(House.config())
        try await house.until("it is ready") { house.state == .ready }
        await house.end()
    }

    @Test func aSessionThatWasRevokedMeanwhileAsksForASignIn() async throws {
        let house = try await used()
        await house.cognito.revokeAll()
        house.clock.advance(seconds: 4_000)
        await house.app.bootstrap.start()
        #expect(house.state == .halted(.signIn))
        #expect(await house.kit.listenerCount == 0)
        try await house.signIn()
        try await eventually("it is ready") { house.state == .ready }
        await house.end()
    }

    @Test func aSignOutTakesThePhoneAndTheSession() async throws {
        let house = try await used()
        await house.app.bootstrap.start()
        try await house.until("the gateway knows the phone") {
            await house.gateway.startTokens[Sample.profile.deviceID] == house.kit.startToken
        }
        await house.app.bootstrap.signOut()
        #expect(house.state == .halted(.signIn))
        #expect(await house.gateway.devices.isEmpty)
        #expect(await house.gateway.calls("DELETE /devices/\(Sample.profile.deviceID)").count == 1)
        #expect(await !house.notificationPort.isRegistered)
        #expect(house.keychain.names.isEmpty)
        #expect(await house.cognito.sessionCount == 0)
        #expect(await house.kit.listenerCount == 0)
        // And again.
        try await house.signIn()
        try await eventually("it is ready") { house.state == .ready }
        #expect(await house.notificationPort.isRegistered)
        await house.end()
    }

    /// A push starts an activity while the app is dead; the system wakes the app, and no window appears.
    @Test func aLaunchInTheBackgroundNeedsNoBootstrap() async throws {
        let house = try await used()
        await house.app.liveActivities.start()
        try await house.until("the gateway knows the phone") {
            await house.gateway.startTokens[Sample.profile.deviceID] == house.kit.startToken
        }
        // The user opens it.
        let listeners = await house.kit.listenerCount
        await house.app.bootstrap.start()
        #expect(house.state == .ready)
        #expect(await house.kit.listenerCount == listeners)
        await house.end()
    }
}
