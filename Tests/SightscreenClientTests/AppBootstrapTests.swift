import ActivitySimulator
import Messages
import Sightscreen
@testable import SightscreenClient
import Synchronization
import TestKit
import Testing

/// The rows of "AppBootstrap": the phases by themselves, with what each of them may answer.
@MainActor
@Suite struct AppBootstrapTests {
    /// Steps that answer what they are told, and note in which order they were asked.
    @MainActor
    private final class Script {
        let clock = SimulatedClock(now: Sample.now)
        let auth = FakeAuthService(left: Script.user)
        let config = FakeAppConfigService()
        var followError: APIError?
        var beforeReady: @MainActor () async -> Void = {}
        private(set) var order: [String] = []
        /// The state in which each step found the app.
        private(set) var states: [AppState] = []
        private(set) var bootstrap: AppBootstrap!
        private var heldSync: CheckedContinuation<Void, Never>?
        var holdsSync = false
        /// Nobody is told of changes.
        var isDeaf = false

        static let user = AppUser(id: Sample.user, email: "asha@example.com")

        init() { bootstrap = AppBootstrap(steps: steps, clock: clock) }

        private func note(_ step: String) {
            order.append(step)
            states.append(bootstrap.state)
        }

        func release() {
            heldSync?.resume()
            heldSync = nil
        }

        private func sync() async throws(APIError) {
            note("follows")
            if holdsSync { await withCheckedContinuation { heldSync = $0 } }
            if let followError { throw followError }
        }

        private var steps: BootSteps {
            BootSteps(
                hydrate: { await self.note("hydrate") },
                checkConfig: { () async throws(APIError) -> AppGate in
                    await self.note("config")
                    return try await self.config.check()
                },
                restoreSession: { () async throws(AuthError) -> AppUser? in
                    await self.note("auth")
                    return try await self.auth.restore()
                },
                syncFollows: { () async throws(APIError) in try await self.sync() },
                restoreActivities: { await self.note("activities") },
                startPolling: {
                    await self.note("polling")
                    await self.beforeReady()
                },
                stopPolling: { await self.note("no polling") }, releaseActivities: { await self.note("release") },
                signOut: {
                    await self.note("sign-out")
                    await self.auth.signOut()
                },
                users: { self.isDeaf ? AsyncStream { $0.finish() } : self.auth.users() },
                currentUser: { self.auth.currentAppUser })
        }
    }

    private static let all = ["hydrate", "config", "auth", "follows", "activities", "polling"]

    // MARK: - The table

    /// All five phases · in the correct order, after the hydration of the cache.
    @Test func thePhasesRunInOrder() async {
        let script = Script()
        #expect(BootPhase.allCases.map(\.rawValue) == [1, 2, 3, 4, 5])
        await script.bootstrap.start()
        #expect(script.order == Self.all)
        #expect(
            script.states == [
                .launching(.configCheck), .launching(.configCheck), .launching(.authRestore), .launching(.followSync),
                .launching(.activityRestore), .launching(.ready),
            ])
        #expect(script.bootstrap.state == .ready)
        await script.bootstrap.stop()
    }

    /// 1. Config check · AppConfigService checks version + maintenance status.
    @Test(arguments: [
        (
            AppGate.maintenance(message: "Back at 10."), BlockingScreen.maintenance(message: "Back at 10.")
        ),
        (
            .updateRequired(minimum: "2.0", storeURL: "https://apps.apple.com/app/id1"),
            .forceUpdate(minimum: "2.0", storeURL: "https://apps.apple.com/app/id1")
        ),
    ])
    func aConfigThatClosesTheAppHaltsTheLaunch(gate: AppGate, screen: BlockingScreen) async {
        let script = Script()
        script.config.set(gate)
        await script.bootstrap.start()
        #expect(script.bootstrap.state == .halted(screen))
        #expect(script.order == ["hydrate", "config"])
        await script.bootstrap.stop()
    }

    /// 2. Auth restore · AuthService restores the session from the Keychain; nobody there: the sign-in screen, and the
    /// launch goes on when somebody has signed in.
    @Test func withoutASessionTheLaunchWaitsForASignIn() async throws {
        let script = Script()
        _ = try await script.auth.restore()
        await script.auth.signOut()
        script.auth.add(Script.user, password: "p")
        await script.bootstrap.start()
        #expect(script.bootstrap.state == .halted(.signIn))
        #expect(script.order == ["hydrate", "config", "auth"])
        try await script.auth.signIn(email: Script.user.email, password: "p")
        try await eventually("it goes on") { script.bootstrap.state == .ready }
        // Not the config again.
        #expect(script.order == ["hydrate", "config", "auth", "auth", "follows", "activities", "polling"])
        await script.bootstrap.stop()
    }

    @Test func aKeychainThatCannotBeReadIsAFailureWithARetry() async throws {
        let script = Script()
        script.auth.refuse(.keychain(.locked))
        await script.bootstrap.start()
        #expect(script.bootstrap.state == .halted(.failure(.authRestore, .keychain(.locked))))
        script.auth.refuse(nil)
        await script.bootstrap.retry()
        #expect(script.bootstrap.state == .ready)
        await script.bootstrap.stop()
    }

    /// 3. Follow sync · FollowManager reconciles; what is not a matter of the network halts the launch.
    @Test(arguments: [
        (APIError.unreadable(status: 200), BootFailure.backend(status: 200)),
        (.refused(status: 403, nil, retryAfter: nil), .backend(status: 403)),
    ])
    func aFollowSyncThatIsRefusedHaltsTheLaunch(error: APIError, failure: BootFailure) async {
        let script = Script()
        script.followError = error
        await script.bootstrap.start()
        #expect(script.bootstrap.state == .halted(.failure(.followSync, failure)))
        // Nothing of it goes on behind the screen.
        #expect(script.order == ["hydrate", "config", "auth", "follows", "release"])
        script.followError = nil
        await script.bootstrap.retry()
        #expect(script.bootstrap.state == .ready)
        await script.bootstrap.stop()
    }

    /// 4. LA restore · LifecycleManager re-attaches observers, after the follows and before the app.
    @Test func activitiesAreRestoredBeforeTheAppIsReady() async {
        let script = Script()
        await script.bootstrap.start()
        let place = script.order.firstIndex(of: "activities")
        #expect(place.map { script.states[$0] } == .launching(.activityRestore))
        #expect(script.order.firstIndex(of: "polling").map { $0 > place ?? .max } == true)
        await script.bootstrap.stop()
    }

    /// 5. Ready · UI unblocks, data sources begin polling.
    @Test func theAppIsReadyWhenDataSourcesPoll() async {
        let script = Script()
        await script.bootstrap.start()
        #expect(script.order.last == "polling")
        #expect(script.states.last == .launching(.ready))
        #expect(script.bootstrap.state == .ready)
        await script.bootstrap.stop()
    }

    /// "The user never sees a partially initialized app."
    @Test func aSessionThatEndsDuringTheLaunchIsNoApp() async {
        let script = Script()
        // What is told may come before anybody listens.
        script.isDeaf = true
        script.beforeReady = { script.auth.endSession() }
        await script.bootstrap.start()
        #expect(script.bootstrap.state == .halted(.signIn))
        #expect(script.order == Self.all + ["no polling", "release"])
        await script.bootstrap.stop()
    }

    // MARK: - Without a network

    @Test(arguments: [
        APIError.transport(.offline), .transport(.timeout), .refused(status: 503, nil, retryAfter: 5), .signedOut,
    ])
    func withoutANetworkTheLastKnownFollowsCount(error: APIError) async {
        let script = Script()
        script.followError = error
        await script.bootstrap.start()
        #expect(script.bootstrap.state == .ready)
        #expect(script.order == Self.all)
        await script.bootstrap.stop()
    }

    /// There was never a config: nobody knows whether this version may be used.
    @Test func aPhoneThatWasNeverOnlineIsAskedToTryAgain() async throws {
        let script = Script()
        script.config.refuse(.transport(.offline))
        await script.bootstrap.start()
        #expect(script.bootstrap.state == .halted(.failure(.configCheck, .noConnection)))
        script.config.refuse(nil)
        // It looks by itself, too.
        try await eventually("it sleeps") { script.clock.untilNext == AppBootstrap.lookAgainInterval }
        script.clock.advance(by: AppBootstrap.lookAgainInterval)
        try await eventually("it is ready") { script.bootstrap.state == .ready }
        await script.bootstrap.stop()
    }

    /// A network that takes everything and answers nothing.
    @Test func aSlowFollowSyncIsNotWaitedForForLong() async throws {
        let script = Script()
        script.holdsSync = true
        let bootstrap: AppBootstrap = script.bootstrap
        async let launched: Void = bootstrap.start()
        try await eventually("it waits") { script.clock.untilNext == AppBootstrap.followSyncLimit }
        #expect(script.bootstrap.state == .launching(.followSync))
        script.clock.advance(by: AppBootstrap.followSyncLimit)
        await launched
        #expect(script.bootstrap.state == .ready)
        script.release()
        await script.bootstrap.stop()
    }

    /// "Signed out" may mean that no token can be had now, or that there is nobody any more.
    @Test func whoIsSignedInTellsWhatSignedOutMeans() {
        #expect(BootRules.afterFollows(.signedOut, isSignedIn: false) == .signIn)
        #expect(BootRules.afterFollows(.transport(.offline), isSignedIn: false) == .signIn)
        #expect(BootRules.afterFollows(.signedOut, isSignedIn: true) == nil)
    }

    // MARK: - Ways out of a halt

    @Test func maintenanceEndsByItself() async throws {
        let script = Script()
        script.config.set(.maintenance(message: nil))
        await script.bootstrap.start()
        for checks in 1...2 {
            try await eventually("it sleeps") { script.clock.untilNext == AppBootstrap.lookAgainInterval }
            #expect(script.config.checks == checks)
            script.clock.advance(by: AppBootstrap.lookAgainInterval)
            try await eventually("it has looked") { script.config.checks == checks + 1 }
        }
        try await eventually("it sleeps") { script.clock.untilNext == AppBootstrap.lookAgainInterval }
        script.config.set(.open)
        script.clock.advance(by: AppBootstrap.lookAgainInterval)
        try await eventually("it is ready") { script.bootstrap.state == .ready }
        #expect(script.order.count { $0 == "hydrate" } == 1)
        await script.bootstrap.stop()
    }

    @Test func anAppThatComesToTheFrontLooksAtOnce() async {
        let script = Script()
        script.config.set(.updateRequired(minimum: "2.0", storeURL: "s"))
        await script.bootstrap.start()
        // It does not wait for an update.
        #expect(script.clock.sleeperCount == 0)
        script.config.set(.open)
        await script.bootstrap.enterForeground()
        #expect(script.bootstrap.state == .ready)
        await script.bootstrap.stop()
    }

    /// What closes the app later closes it as a launch would.
    @Test func aRunningAppIsClosedByANewConfig() async {
        let script = Script()
        await script.bootstrap.start()
        script.config.set(.updateRequired(minimum: "2.0", storeURL: "s"))
        await script.bootstrap.enterForeground()
        #expect(script.bootstrap.state == .ready)
        script.clock.advance(seconds: AppBootstrap.configInterval)
        await script.bootstrap.enterForeground()
        #expect(script.bootstrap.state == .halted(.forceUpdate(minimum: "2.0", storeURL: "s")))
        #expect(script.order.suffix(3) == ["config", "no polling", "release"])
        await script.bootstrap.stop()
    }

    @Test func aSessionThatEndsClosesTheApp() async throws {
        let script = Script()
        script.auth.add(Script.user, password: "p")
        await script.bootstrap.start()
        script.auth.endSession()
        try await eventually("it is closed") { script.order.last == "release" }
        #expect(script.bootstrap.state == .halted(.signIn))
        try await script.auth.signIn(email: Script.user.email, password: "p")
        try await eventually("it is open") { script.bootstrap.state == .ready }
        await script.bootstrap.stop()
    }

    @Test func aSignOutIsDoneBeforeAnybodyElseMayComeIn() async throws {
        let script = Script()
        await script.bootstrap.start()
        await script.bootstrap.signOut()
        #expect(script.bootstrap.state == .halted(.signIn))
        #expect(script.order.suffix(2) == ["no polling", "sign-out"])
        #expect(script.states.last == .launching(.authRestore))
        await script.bootstrap.stop()
    }

    @Test func launchesAtTheSameTimeAreOne() async {
        let script = Script()
        let bootstrap: AppBootstrap = script.bootstrap
        await withTaskGroup { group in for _ in 0..<5 { group.addTask { await bootstrap.start() } } }
        #expect(script.order == Self.all)
        // Ready already.
        await bootstrap.retry()
        #expect(script.order == Self.all)
        await bootstrap.stop()
    }
}
