@testable import SightscreenClientTesting
import SightscreenModels
@testable import SightscreenClient
import Synchronization
import TestSupport
import Testing

/// The phases of a launch, each with every answer that its step may give.
@MainActor
@Suite struct AppBootstrapTests {
    /// Steps with scripted answers. They record the order in which they are called.
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
        private var held: CheckedContinuation<Void, Never>?
        /// The step that waits for `release`.
        var holds: String?
        /// Keeps the backend from deleting the user's data.
        var eraseTrouble: APIError?
        /// Whether the bootstrap gets no changes of the user.
        var isDeaf = false
        /// Whether the bootstrap gets no notice before another user signs in.
        var isRude = false

        static let user = AppUser(id: Sample.user, email: "asha@example.com")
        static let other = AppUser(id: UserID("bob"), email: "bob@example.com")

        init() { relaunch() }

        /// Ends the app's process and begins another.
        func relaunch() {
            (order, states) = ([], [])
            bootstrap = AppBootstrap(steps: steps, clock: clock)
        }

        private func pass(_ step: String) async {
            order.append(step)
            states.append(bootstrap.state)
            if holds == step { await withCheckedContinuation { held = $0 } }
        }

        var isHeld: Bool { held != nil }

        func release() {
            holds = nil
            held?.resume()
            held = nil
        }

        func forgetOrder() { (order, states) = ([], []) }

        private func sync() async throws(APIError) {
            await pass("follows")
            if let followError { throw followError }
        }

        private var steps: BootSteps {
            BootSteps(
                hydrate: { await self.pass("hydrate") },
                checkConfig: { () async throws(APIError) -> AppGate in
                    await self.pass("config")
                    return try await self.config.check()
                },
                isConfigFresh: { self.config.isFresh },
                restoreSession: { () async throws(AuthError) -> AppUser? in
                    await self.pass("auth")
                    return try await self.auth.restore()
                },
                syncFollows: { () async throws(APIError) in try await self.sync() },
                restoreActivities: { await self.pass("activities") },
                startPolling: {
                    await self.pass("polling")
                    await self.beforeReady()
                },
                stopPolling: { await self.pass("no polling") }, releaseActivities: { await self.pass("release") },
                farewell: { await self.pass("farewell of \(self.auth.currentUser?.id.rawValue ?? "nobody")") },
                closeSession: {
                    await self.pass("sign-out")
                    await self.auth.signOut()
                },
                eraseUser: { () async throws(APIError) in
                    await self.pass("erase")
                    if let trouble = await self.eraseTrouble { throw trouble }
                },
                deleteUser: { () async throws(AuthError) in
                    await self.pass("delete")
                    try await self.auth.deleteUser()
                },
                users: { self.isDeaf ? AsyncStream { $0.finish() } : self.auth.users() },
                currentUser: { self.auth.currentUser },
                beforeReplacement: { if !self.isRude { self.auth.beforeReplacement($0) } })
        }
    }

    private nonisolated static let all = ["hydrate", "config", "auth", "follows", "activities", "polling"]

    // MARK: - The phases

    /// The five phases run in order, after the cache is hydrated.
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

    /// The configuration check halts the launch for a version that is too old, and for maintenance.
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
        // Activities that a push began before the launch are released, too.
        #expect(script.order == ["hydrate", "config", "release"])
        await script.bootstrap.stop()
    }

    /// Without a session in the Keychain the sign-in screen is shown, and the launch continues after a sign-in.
    @Test func withoutASessionTheLaunchWaitsForASignIn() async throws {
        let script = Script()
        _ = try await script.auth.restore()
        await script.auth.signOut()
        script.auth.add(Script.user, password: "p")
        await script.bootstrap.start()
        #expect(script.bootstrap.state == .halted(.signIn))
        #expect(script.order == ["hydrate", "config", "auth", "release"])
        script.forgetOrder()
        try await script.auth.signIn(email: Script.user.email, password: "p")
        try await eventually("it goes on") { script.bootstrap.state == .ready }
        #expect(script.order == Array(Self.all.dropFirst()))
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

    /// A failure that is no matter of the network halts the launch in the follow sync.
    @Test func aFollowSyncThatIsRefusedHaltsTheLaunch() async {
        let script = Script()
        script.followError = .refused(status: 403, nil, retryAfter: nil)
        await script.bootstrap.start()
        #expect(script.bootstrap.state == .halted(.failure(.followSync, .backend(status: 403))))
        // None of the steps runs on behind the screen.
        #expect(script.order == ["hydrate", "config", "auth", "follows", "release"])
        script.followError = nil
        await script.bootstrap.retry()
        #expect(script.bootstrap.state == .ready)
        await script.bootstrap.stop()
    }

    /// The follows stored on this phone are used.
    @Test func aFollowListThatCannotBeReadHaltsNothing() async {
        let script = Script()
        script.followError = .unreadable(status: 200)
        await script.bootstrap.start()
        #expect(script.bootstrap.state == .ready)
        #expect(script.order == Self.all)
        await script.bootstrap.stop()
    }

    /// Observers are attached to the activities after the follow sync and before the app is ready.
    @Test func activitiesAreRestoredBeforeTheAppIsReady() async {
        let script = Script()
        await script.bootstrap.start()
        let place = script.order.firstIndex(of: "activities")
        #expect(place.map { script.states[$0] } == .launching(.activityRestore))
        #expect(script.order.firstIndex(of: "polling").map { $0 > place ?? .max } == true)
        await script.bootstrap.stop()
    }

    /// The same holds for the real facade on a simulated phone: an activity that a push started while no app ran is
    /// adopted and observed when the app becomes ready.
    @Test func aSurvivingActivityIsObservedBeforeTheAppIsReady() async throws {
        let match = Sample.match()
        let phone = try await Phone(match)
        await phone.gateway.setFollows([match.id], of: Sample.user)
        try await phone.launch()
        await phone.killApp()
        let id = try await phone.pushStart(match.id)
        #expect(await phone.kit.listenerCount == 0)
        let (app, kit) = (phone.app, phone.kit)
        let seen = Mutex<(shown: [ActivityID], listeners: Int)>(([], 0))
        let bootstrap = AppBootstrap(
            steps: BootSteps(
                config: FakeAppConfigService(), auth: FakeAuthService(left: Script.user), liveActivities: app,
                notifications: FakeNotificationService(), matches: InMemoryMatchCacheStore(),
                startPolling: {
                    var shown = await app.shownActivities().makeAsyncIterator()
                    let ids = await shown.next()?.map(\.id) ?? []
                    let listeners = await kit.listenerCount
                    seen.withLock { $0 = (ids, listeners) }
                }), clock: phone.clock)
        await bootstrap.start()
        #expect(bootstrap.state == .ready)
        let atReady = seen.withLock { $0 }
        #expect(atReady.shown == [id])
        #expect(atReady.listeners > 0)
        // Its token reaches the backend without a further call.
        #expect(try await phone.registeredActivity(match.id) == id)
        await bootstrap.stop()
        await phone.end()
    }

    /// The app is ready once data sources poll.
    @Test func theAppIsReadyWhenDataSourcesPoll() async {
        let script = Script()
        await script.bootstrap.start()
        #expect(script.order.last == "polling")
        #expect(script.states.last == .launching(.ready))
        #expect(script.bootstrap.state == .ready)
        await script.bootstrap.stop()
    }

    /// The user never sees a partially initialised app: a session that ends during the launch leads to the sign-in.
    @Test func aSessionThatEndsDuringTheLaunchIsNoApp() async {
        let script = Script()
        // The change comes before the bootstrap observes the user.
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

    /// Without any earlier configuration it is unknown whether this version may be used.
    @Test func aPhoneThatWasNeverOnlineIsAskedToTryAgain() async throws {
        let script = Script()
        script.config.refuse(.transport(.offline))
        await script.bootstrap.start()
        #expect(script.bootstrap.state == .halted(.failure(.configCheck, .noConnection)))
        script.config.refuse(nil)
        // The app also tries again by itself.
        try await eventually("it sleeps") { script.clock.untilNext == AppBootstrap.lookAgainInterval }
        script.clock.advance(by: AppBootstrap.lookAgainInterval)
        try await eventually("it is ready") { script.bootstrap.state == .ready }
        await script.bootstrap.stop()
    }

    /// The network accepts the request and never answers.
    @Test func aSlowFollowSyncIsNotWaitedForForLong() async throws {
        let script = Script()
        script.holds = "follows"
        let bootstrap: AppBootstrap = script.bootstrap
        async let launched: Void = bootstrap.start()
        try await eventually("it waits") { script.isHeld && script.clock.untilNext == AppBootstrap.followSyncLimit }
        #expect(script.bootstrap.state == .launching(.followSync))
        script.clock.advance(by: AppBootstrap.followSyncLimit)
        await launched
        #expect(script.bootstrap.state == .ready)
        script.release()
        await script.bootstrap.stop()
    }

    /// `signedOut` may mean that no token can be had now, or that no user is signed in.
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
        // No timer waits for an update.
        #expect(script.clock.sleeperCount == 0)
        script.config.set(.open)
        await script.bootstrap.enterForeground()
        #expect(script.bootstrap.state == .ready)
        await script.bootstrap.stop()
    }

    /// A later configuration halts the app in the same way as at a launch.
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
        try await eventually("it is closed") { script.bootstrap.state == .halted(.signIn) }
        #expect(script.order.suffix(2) == ["no polling", "release"])
        #expect(!script.states.suffix(2).contains(.ready), "nobody uses what is being taken down")
        try await script.auth.signIn(email: Script.user.email, password: "p")
        try await eventually("it is open") { script.bootstrap.state == .ready }
        await script.bootstrap.stop()
    }

    @Test func aSignOutIsDoneBeforeAnybodyElseMayComeIn() async throws {
        let script = Script()
        await script.bootstrap.start()
        await script.bootstrap.signOut()
        #expect(script.bootstrap.state == .halted(.signIn))
        #expect(script.order.suffix(3) == ["no polling", "farewell of asha", "sign-out"])
        #expect(script.states.suffix(3).allSatisfy { $0 == .launching(.authRestore) })
        await script.bootstrap.stop()
    }

    // MARK: - The account's deletion

    @Test func whatTheBackendDidNotDeleteStaysInThePool() async throws {
        let script = Script()
        await script.bootstrap.start()
        script.eraseTrouble = .transport(.offline)
        await #expect(throws: AccountDeletionError.backend(.transport(.offline))) {
            try await script.bootstrap.deleteAccount()
        }
        #expect(script.order.last == "erase")
        #expect(script.bootstrap.state == .ready)
        #expect(script.auth.currentUser == Script.user)
        await script.bootstrap.stop()
    }

    /// The account is deleted at the backend, then in the pool. A user who is still there may try again.
    @Test func anAccountIsDeletedInTwoSteps() async throws {
        let script = Script()
        await script.bootstrap.start()
        script.auth.refuse(.unavailable)
        await #expect(throws: AccountDeletionError.pool(.unavailable)) { try await script.bootstrap.deleteAccount() }
        script.auth.refuse(nil)
        await script.bootstrap.retry()
        #expect(script.bootstrap.state == .ready)
        try await script.bootstrap.deleteAccount()
        #expect(script.bootstrap.state == .halted(.signIn))
        #expect(script.order.suffix(3) == ["erase", "no polling", "delete"])
        #expect(script.auth.currentUser == nil)
        await script.bootstrap.stop()
    }

    // MARK: - Later sign-ins

    /// A sign-in hours after the configuration check passes the same checks.
    @Test(arguments: [
        (AppGate.maintenance(message: nil), BlockingScreen.maintenance(message: nil)),
        (.updateRequired(minimum: "2.0", storeURL: "s"), .forceUpdate(minimum: "2.0", storeURL: "s")),
    ])
    func aSignInAfterTheLaunchPassesTheGates(gate: AppGate, screen: BlockingScreen) async throws {
        let script = Script()
        script.auth.add(Script.user, password: "p")
        await script.bootstrap.start()
        await script.bootstrap.signOut()
        script.config.set(gate)
        script.forgetOrder()
        try await script.auth.signIn(email: Script.user.email, password: "p")
        try await eventually("it is halted") { script.bootstrap.state == .halted(screen) }
        #expect(script.order == ["config", "release"])
        script.config.set(.open)
        await script.bootstrap.retry()
        #expect(script.bootstrap.state == .ready)
        await script.bootstrap.stop()
    }

    /// A sign-in screen that is shown for long also gives way to maintenance.
    @Test func aNewConfigClosesTheSignIn() async throws {
        let script = Script()
        script.auth.add(Script.user, password: "p")
        await script.bootstrap.start()
        await script.bootstrap.signOut()
        script.config.set(.maintenance(message: nil))
        await script.bootstrap.enterForeground()
        #expect(script.bootstrap.state == .halted(.signIn), "it was asked for just before")
        script.clock.advance(seconds: AppBootstrap.configInterval)
        await script.bootstrap.enterForeground()
        #expect(script.bootstrap.state == .halted(.maintenance(message: nil)))
        script.config.set(.open)
        await script.bootstrap.enterForeground()
        #expect(script.bootstrap.state == .halted(.signIn))
        await script.bootstrap.stop()
    }

    /// A launch without a network did not get the configuration, so the app asks for it the next time it enters the
    /// foreground.
    @Test func aConfigThatNobodyToldIsAskedForTheNextTime() async {
        let script = Script()
        script.config.setOffline(true)
        await script.bootstrap.start()
        #expect(script.bootstrap.state == .ready)
        await script.bootstrap.enterForeground()
        script.config.setOffline(false)
        script.config.set(.updateRequired(minimum: "2.0", storeURL: "s"))
        await script.bootstrap.enterForeground()
        #expect(script.config.checks == 3)
        #expect(script.bootstrap.state == .halted(.forceUpdate(minimum: "2.0", storeURL: "s")))
        await script.bootstrap.stop()
    }

    /// A sign-out does not remove the reason for a halt.
    @Test func aSignOutOpensNothing() async {
        let script = Script()
        script.config.set(.maintenance(message: nil))
        await script.bootstrap.start()
        await script.bootstrap.signOut()
        #expect(script.bootstrap.state == .halted(.maintenance(message: nil)))
        await script.bootstrap.stop()
    }

    /// Another user signs in without a sign-out. The first user's phone is unregistered, and then the whole launch
    /// runs.
    @Test func anotherUserComesThroughAllPhases() async throws {
        let script = Script()
        script.auth.add(Script.other, password: "p")
        await script.bootstrap.start()
        script.forgetOrder()
        try await script.auth.signIn(email: Script.other.email, password: "p")
        try await eventually("it is ready") { script.bootstrap.state == .ready }
        #expect(script.order == ["no polling", "farewell of asha"] + Self.all.dropFirst())
        #expect(!script.states.contains(.ready))
        await script.bootstrap.stop()
    }

    /// Even without a farewell nothing of the first user's app runs on.
    @Test func anotherUserNeverGetsARunningApp() async throws {
        let script = Script()
        script.isRude = true
        script.auth.add(Script.other, password: "p")
        await script.bootstrap.start()
        script.forgetOrder()
        try await script.auth.signIn(email: Script.other.email, password: "p")
        try await eventually("it is ready") { script.order.last == "polling" && script.bootstrap.state == .ready }
        #expect(script.order == ["no polling", "release"] + Self.all.dropFirst())
        await script.bootstrap.stop()
    }

    /// The same holds between the phases of a launch.
    @Test func anotherUserDuringTheLaunchBeginsItAnew() async throws {
        let script = Script()
        script.isRude = true
        script.auth.add(Script.other, password: "p")
        script.beforeReady = {
            script.beforeReady = {}
            _ = try? await script.auth.signIn(email: Script.other.email, password: "p")
        }
        await script.bootstrap.start()
        #expect(script.bootstrap.state == .ready)
        #expect(script.order == Self.all + ["no polling", "release"] + Self.all.dropFirst())
        await script.bootstrap.stop()
    }

    // MARK: - Given-up launches

    /// A launch that is stopped in any of its steps leaves nothing running, and the next one begins at the first phase.
    @Test(arguments: all)
    func aLaunchThatIsGivenUpLeavesNothing(step: String) async throws {
        let script = Script()
        script.holds = step
        let bootstrap: AppBootstrap = script.bootstrap
        async let launched: Void = bootstrap.start()
        try await eventually("it is there") { script.isHeld }
        async let stopped: Void = bootstrap.stop()
        // The step under way may end at any time.
        await Task.yield()
        script.release()
        await stopped
        await launched
        #expect(script.bootstrap.state == .launching(.configCheck))
        #expect(script.order.last == "release")
        #expect(script.order.contains("no polling") == script.order.contains("polling"))
        try await eventually("nothing waits") { script.clock.sleeperCount == 0 }
        // The stopped bootstrap does nothing any more.
        let order = script.order
        for _ in 0..<2 { await bootstrap.start() }
        await bootstrap.retry()
        await bootstrap.enterForeground()
        await bootstrap.signOut()
        #expect(script.order == order)
        // The next bootstrap begins at the first phase.
        script.relaunch()
        await script.bootstrap.start()
        #expect(script.bootstrap.state == .ready)
        #expect(script.order == Self.all)
        await script.bootstrap.stop()
        #expect(script.order == Self.all + ["no polling", "release"])
    }

    /// The button, the timer and an app in the foreground may retry at the same time, after a halt in any phase.
    @Test(arguments: [BootPhase.configCheck, .authRestore, .followSync])
    func aRetryStartsClean(phase: BootPhase) async throws {
        let script = Script()
        switch phase {
        case .configCheck: script.config.refuse(.transport(.offline))
        case .authRestore: script.auth.refuse(.keychain(.locked))
        default: script.followError = .refused(status: 403, nil, retryAfter: nil)
        }
        await script.bootstrap.start()
        guard case .halted(.failure(phase, _)) = script.bootstrap.state else {
            Issue.record("it is \(script.bootstrap.state)")
            return
        }
        #expect(script.order.last == "release")
        script.config.refuse(nil)
        script.auth.refuse(nil)
        script.followError = nil
        script.forgetOrder()
        let bootstrap: AppBootstrap = script.bootstrap
        await withTaskGroup { group in
            for _ in 0..<3 {
                group.addTask { await bootstrap.retry() }
                group.addTask { await bootstrap.enterForeground() }
            }
        }
        #expect(script.bootstrap.state == .ready)
        #expect(script.order == Array(Self.all.dropFirst()))
        try await eventually("nothing looks again any more") { script.clock.sleeperCount == 0 }
        await script.bootstrap.stop()
    }

    @Test func launchesAtTheSameTimeAreOne() async {
        let script = Script()
        let bootstrap: AppBootstrap = script.bootstrap
        await withTaskGroup { group in for _ in 0..<5 { group.addTask { await bootstrap.start() } } }
        #expect(script.order == Self.all)
        // The app is ready already.
        await bootstrap.retry()
        #expect(script.order == Self.all)
        await bootstrap.stop()
    }
}
