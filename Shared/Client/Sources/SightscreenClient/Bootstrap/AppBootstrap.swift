public import Observation
import SightscreenModels

/// The launch: five phases in order. The app is shown only after the last one.
///
/// A phase that fails halts the launch, and the app shows the reason and nothing else. A phone without a network is no
/// failure: the last known configuration (including a forced update) and follows are used, and the app is ready. Later
/// events follow the same rules: the end of a session, another user, a version that becomes too old. A user who signs
/// in later passes through all five phases, too.
///
/// It runs one operation at a time: a launch, a sign-out or a stop. While the app is halted, none of its services runs.
@MainActor
@Observable
public final class AppBootstrap {
    /// The longest wait for the follows. They may arrive later.
    public static let followSyncLimit = Duration.seconds(8)
    /// The interval at which a halted app tries again.
    public static let lookAgainInterval = Duration.seconds(30)
    /// The age, in seconds, from which an app that enters the foreground asks for the configuration again.
    public static let configInterval = 900

    public private(set) var state = AppState.launching(.configCheck)

    private let steps: BootSteps
    private let clock: any ClientClock
    /// The last of the queued operations, which run one after the other.
    @ObservationIgnored private var lastTurn: Task<Void, Never>?
    @ObservationIgnored private var launch: Task<Void, Never>?
    @ObservationIgnored private var sessionObserver: Task<Void, Never>?
    @ObservationIgnored private var nextLook: Task<Void, Never>?
    @ObservationIgnored private var isStarted = false
    @ObservationIgnored private var isStopped = false
    @ObservationIgnored private var isHydrated = false
    @ObservationIgnored private var polls = false
    /// The user for whom the app was launched.
    @ObservationIgnored private var user: UserID?
    /// One user has left, and the next one's session has not begun.
    @ObservationIgnored private var isBetweenUsers = false
    /// The time at which the backend itself returned the configuration.
    @ObservationIgnored private var configFetchedAt: Int?
    @ObservationIgnored private var isLookingAtConfig = false

    public init(steps: BootSteps, clock: any ClientClock) {
        self.steps = steps
        self.clock = clock
    }

    /// Starts the launch when a window appears. Only the first call has an effect. It returns when the app is ready or
    /// halted.
    public func start() async {
        listen()
        await inTurn {
            guard !self.isStarted else { return }
            self.isStarted = true
            await self.runPhases()
        }
    }

    /// Tries again after a failure or maintenance. Does nothing unless the launch is halted.
    public func retry() async {
        await inTurn {
            guard case .halted = self.state else { return }
            await self.runPhases()
        }
    }

    /// Checks, when the app enters the foreground, whether the reason for a halt is over, and whether the app may still
    /// be used.
    public func enterForeground() async {
        switch state {
        case .launching: break
        case .ready, .halted(.signIn): await lookAtConfig()
        case .halted: await retry()
        }
    }

    /// Unregisters the phone, ends the user's session, and asks for a sign-in.
    public func signOut() async {
        await inTurn {
            let before = self.state
            self.state = .launching(.authRestore)
            self.nextLook?.cancel()
            await self.stopPolling()
            await self.steps.farewell()
            await self.steps.closeSession()
            // The reason for a halt applies to the next user, too.
            if case .halted(let screen) = before, screen != .signIn { return await self.runPhases() }
            self.halt(.signIn)
        }
    }

    /// Deletes the user's account: ends the activities on this phone, deletes the user's data at the backend, then the
    /// user in the pool, and asks for a sign-in. An app with accounts has to offer this ([App Review Guidelines
    /// 5.1.1(v)](https://developer.apple.com/support/offering-account-deletion-in-your-app)).
    ///
    /// - Throws: the step that failed. The user is still signed in and may try again.
    public func deleteAccount() async throws(AccountDeletionError) {
        let outcome = await inTurn { () -> Result<Void, AccountDeletionError> in
            do throws(APIError) { try await self.steps.eraseUser() } catch { return .failure(.backend(error)) }
            self.state = .launching(.authRestore)
            self.nextLook?.cancel()
            await self.stopPolling()
            do throws(AuthError) { try await self.steps.deleteUser() } catch {
                AppLogger.error("The user is still in the pool", error: error, category: .auth)
                // At the backend the session now belongs to a new user without data.
                await self.runPhases()
                return .failure(.pool(error))
            }
            self.halt(.signIn)
            return .success(())
        }
        try outcome?.get()
    }

    /// Stops all operations, and returns when none runs: a launch is given up at any point, and none begins any more.
    /// It is for apps that end while their process lives on (debug builds, tests, simulated phones); the next app has a
    /// bootstrap of its own.
    public func stop() async {
        isStopped = true
        sessionObserver?.cancel()
        launch?.cancel()
        await lastTurn?.value
        nextLook?.cancel()
        await takeDown()
        state = .launching(.configCheck)
    }

    // MARK: - One operation at a time

    /// - Returns: the result of the work; nil when the operations have been stopped.
    @discardableResult
    private func inTurn<Value: Sendable>(_ work: @escaping @MainActor () async -> Value) async -> Value? {
        let before = lastTurn
        let turn = Task { () -> Value? in
            await before?.value
            guard !self.isStopped else { return nil }
            return await work()
        }
        lastTurn = Task { _ = await turn.value }
        return await turn.value
    }

    private func listen() {
        guard sessionObserver == nil, !isStopped else { return }
        let users = steps.users()
        sessionObserver = Task { [weak self] in
            for await _ in users { await self?.userChanged() }
        }
        steps.beforeReplacement { [weak self] in await self?.leaveSession() }
    }

    // MARK: - The phases

    private func runPhases() async {
        nextLook?.cancel()
        let task = Task { await self.phases() }
        launch = task
        await task.value
        launch = nil
    }

    private func phases() async {
        isBetweenUsers = false
        user = nil
        if !isHydrated {
            isHydrated = true
            await steps.hydrate()
        }
        for phase in BootPhase.allCases {
            if Task.isCancelled { break }
            state = .launching(phase)
            guard let screen = await perform(phase), !Task.isCancelled else { continue }
            AppLogger.warning("The launch is halted", category: .bootstrap, metadata: ["phase": "\(phase)"])
            await takeDown()
            return halt(screen)
        }
        // The launch was cancelled, and its results are discarded.
        if Task.isCancelled { return await takeDown() }
        // The session may have ended during the launch.
        guard steps.currentUser()?.id == user else {
            await takeDown()
            if steps.currentUser() == nil { return halt(.signIn) }
            return await phases()
        }
        state = .ready
        AppLogger.info("The app is ready", category: .bootstrap)
    }

    /// - Returns: the screen that halts the launch; nil to go on with the next phase.
    private func perform(_ phase: BootPhase) async -> BlockingScreen? {
        switch phase {
        case .configCheck:
            do throws(APIError) { return BootRules.screen(try await checkConfig()) } catch {
                return BootRules.afterConfig(error)
            }
        case .authRestore:
            do throws(AuthError) {
                user = try await steps.restoreSession()?.id
                return user == nil ? .signIn : nil
            } catch { return BootRules.afterRestore(error) }
        case .followSync: return await followsAreLate()
        case .activityRestore:
            await steps.restoreActivities()
            return nil
        case .ready:
            polls = true
            await steps.startPolling()
            return nil
        }
    }

    private func checkConfig() async throws(APIError) -> AppGate {
        let gate = try await steps.checkConfig()
        // A configuration that could not be fetched now is asked for the next time.
        configFetchedAt = steps.isConfigFresh() ? clock.now : nil
        return gate
    }

    private func followsAreLate() async -> BlockingScreen? {
        let outcome = await finished(within: Self.followSyncLimit, clock) { [steps] () -> Result<Void, APIError> in
            do throws(APIError) { return .success(try await steps.syncFollows()) } catch { return .failure(error) }
        }
        guard case .failure(let error)? = outcome else { return nil }
        AppLogger.warning("The follows are the last known ones", error: error, category: .bootstrap)
        return BootRules.afterFollows(error, isSignedIn: steps.currentUser() != nil)
    }

    // MARK: - Halts

    private func halt(_ screen: BlockingScreen) {
        state = .halted(screen)
        guard BootRules.looksAgain(screen) else { return }
        nextLook = Task { [clock, weak self] in
            guard (try? await clock.sleep(for: Self.lookAgainInterval)) != nil else { return }
            await self?.retry()
        }
    }

    private func stopPolling() async {
        guard polls else { return }
        polls = false
        await steps.stopPolling()
    }

    /// Stops everything that runs, including what a push that woke the app began before the launch.
    private func takeDown() async {
        await stopPolling()
        await steps.releaseActivities()
    }

    /// Halts an app that was ready.
    private func leave(for screen: BlockingScreen) async {
        // The views disappear before the services stop.
        state = .launching(.configCheck)
        await takeDown()
        halt(screen)
    }

    /// Checks whether the app may still be used, with or without a signed-in user.
    private func lookAtConfig() async {
        guard !isLookingAtConfig, configFetchedAt.map({ clock.now - $0 >= Self.configInterval }) ?? true else { return }
        isLookingAtConfig = true
        defer { isLookingAtConfig = false }
        guard let gate = try? await checkConfig(), let screen = BootRules.screen(gate) else { return }
        await inTurn {
            switch self.state {
            case .ready: await self.leave(for: screen)
            case .halted(.signIn): self.halt(screen)
            // A launch checks the configuration itself.
            case .halted, .launching: break
            }
        }
    }

    // MARK: - Users

    private func userChanged() async {
        await inTurn {
            let now = self.steps.currentUser()?.id
            switch self.state {
            case .ready where now == nil: await self.leave(for: .signIn)
            case .ready where now != self.user:
                self.state = .launching(.configCheck)
                await self.takeDown()
                await self.runPhases()
            case .halted(.signIn) where now != nil: await self.runPhases()
            case .launching where self.isBetweenUsers: await self.runPhases()
            case .ready, .halted, .launching: break
            }
        }
    }

    /// Unregisters the phone from the current user, who has not signed out, before another user signs in.
    private func leaveSession() async {
        await inTurn {
            guard self.isStarted, self.steps.currentUser() != nil else { return }
            self.isBetweenUsers = true
            self.state = .launching(.authRestore)
            self.nextLook?.cancel()
            await self.stopPolling()
            await self.steps.farewell()
        }
    }
}
