public import Observation

/// The launch: five phases, one after the other, and the app only after the last.
///
/// A phase that fails halts it, and the app shows why and nothing else. A phone without a network is no failure: what the
/// backend said at last counts (the config, with an update that it forced; the follows), and the app is ready. What
/// happens later takes the same way back: a session that ends, a version that becomes too old.
@MainActor
@Observable
public final class AppBootstrap {
    /// Longer than this nobody waits for the follows; they come when they come.
    public static let followSyncLimit = Duration.seconds(8)
    /// How often a halted app looks whether it may go on.
    public static let lookAgainInterval = Duration.seconds(30)
    /// An app that comes to the front asks for the config if it has not for so long, in seconds.
    public static let configInterval = 900

    public private(set) var state = AppState.launching(.configCheck)

    private let steps: BootSteps
    private let clock: any ClientClock
    @ObservationIgnored private var isHydrated = false
    @ObservationIgnored private var launch: Task<Void, Never>?
    @ObservationIgnored private var watch: Task<Void, Never>?
    @ObservationIgnored private var nextLook: Task<Void, Never>?
    @ObservationIgnored private var configCheckedAt = 0

    public init(steps: BootSteps, clock: any ClientClock) {
        self.steps = steps
        self.clock = clock
    }

    /// To be called when a window appears; the first call counts. It returns when the app is ready, or halted.
    public func start() async {
        guard watch == nil else {
            await launch?.value
            return
        }
        let users = steps.users()
        watch = Task { [weak self] in
            for await user in users { await self?.userChanged(user) }
        }
        await run(from: .configCheck)
    }

    /// The button of a failure, and of maintenance. Does nothing unless the launch is halted.
    public func retry() async {
        guard case .halted = state else { return }
        await run(from: .configCheck)
    }

    /// The app came to the front: what halted it may be over, and what it was allowed may be no more.
    public func enterForeground() async {
        switch state {
        case .launching: break
        case .halted(.signIn): break
        case .halted: await retry()
        case .ready:
            guard clock.now - configCheckedAt >= Self.configInterval else { return }
            configCheckedAt = clock.now
            // One that cannot be asked now is asked the next time.
            guard let gate = try? await steps.checkConfig(), let screen = BootRules.screen(gate) else { return }
            await leave(for: screen)
        }
    }

    /// Takes phone and session from the user, and asks for another one.
    public func signOut() async {
        await launch?.value
        state = .launching(.authRestore)
        nextLook?.cancel()
        await steps.stopPolling()
        await steps.signOut()
        halt(.signIn)
    }

    /// Nothing is watched any more: for tests and simulated phones. An app lives as long as its process.
    public func stop() async {
        watch?.cancel()
        nextLook?.cancel()
        await launch?.value
    }

    // MARK: - The phases

    /// Concurrent calls share one launch.
    private func run(from first: BootPhase) async {
        if let launch { return await launch.value }
        nextLook?.cancel()
        let task = Task { await self.goThrough(from: first) }
        launch = task
        await task.value
    }

    private func goThrough(from first: BootPhase) async {
        defer { launch = nil }
        if !isHydrated {
            isHydrated = true
            await steps.hydrate()
        }
        for phase in BootPhase.allCases where phase >= first {
            state = .launching(phase)
            guard let screen = await perform(phase) else { continue }
            AppLogger.warning("The launch is halted", category: .bootstrap, metadata: ["phase": "\(phase)"])
            if phase >= .followSync { await steps.releaseActivities() }
            return halt(screen)
        }
        // It may have ended under way, when nobody listened.
        guard steps.currentUser() != nil else {
            await steps.stopPolling()
            await steps.releaseActivities()
            return halt(.signIn)
        }
        state = .ready
        AppLogger.info("The app is ready", category: .bootstrap)
    }

    /// - Returns: what halts the launch; nil: on to the next.
    private func perform(_ phase: BootPhase) async -> BlockingScreen? {
        switch phase {
        case .configCheck:
            do throws(APIError) {
                let gate = try await steps.checkConfig()
                configCheckedAt = clock.now
                return BootRules.screen(gate)
            } catch { return BootRules.afterConfig(error) }
        case .authRestore:
            do throws(AuthError) { return try await steps.restoreSession() == nil ? .signIn : nil } catch {
                return BootRules.afterRestore(error)
            }
        case .followSync: return await followsAreLate()
        case .activityRestore:
            await steps.restoreActivities()
            return nil
        case .ready:
            await steps.startPolling()
            return nil
        }
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
        // Somebody may have signed in just before, when nobody listened.
        if screen == .signIn, steps.currentUser() != nil { return goOn() }
        guard BootRules.looksAgain(screen) else { return }
        nextLook = Task { [clock, weak self] in
            guard (try? await clock.sleep(for: Self.lookAgainInterval)) != nil else { return }
            await self?.retry()
        }
    }

    private func goOn() {
        Task { [weak self] in
            await self?.launch?.value
            guard let self, state == .halted(.signIn) else { return }
            await run(from: .authRestore)
        }
    }

    /// The app was ready and is no more.
    private func leave(for screen: BlockingScreen) async {
        guard state == .ready else { return }
        // First: nobody uses what is being taken down.
        halt(screen)
        await steps.stopPolling()
        await steps.releaseActivities()
    }

    private func userChanged(_ user: AppUser?) async {
        switch state {
        case .ready where user == nil: await leave(for: .signIn)
        case .halted(.signIn) where user != nil: await run(from: .authRestore)
        // A launch looks for itself.
        case .ready, .halted, .launching: break
        }
    }
}
