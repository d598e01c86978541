public import Observation
import SightscreenModels

/// The launch: five phases, one after the other, and the app only after the last.
///
/// A phase that fails halts it, and the app shows why and nothing else. A phone without a network is no failure: what the
/// backend said at last counts (the config, with an update that it forced; the follows), and the app is ready. What
/// happens later takes the same way back: a session that ends, another user, a version that becomes too old. Whoever comes
/// in later comes through all five phases, too.
///
/// It does one thing at a time: a launch, a sign-out, a closing. Whatever is halted runs nowhere.
@MainActor
@Observable
public final class AppBootstrap {
    /// Longer than this nobody waits for the follows; they come when they come.
    public static let followSyncLimit = Duration.seconds(8)
    /// How often a halted app looks whether it may go on.
    public static let lookAgainInterval = Duration.seconds(30)
    /// An app that comes to the front asks for the config if the backend has not told it for so long, in seconds.
    public static let configInterval = 900

    public private(set) var state = AppState.launching(.configCheck)

    private let steps: BootSteps
    private let clock: any ClientClock
    /// The last of what is to be done, one after the other.
    @ObservationIgnored private var lastTurn: Task<Void, Never>?
    @ObservationIgnored private var launch: Task<Void, Never>?
    @ObservationIgnored private var watch: Task<Void, Never>?
    @ObservationIgnored private var nextLook: Task<Void, Never>?
    @ObservationIgnored private var isStarted = false
    @ObservationIgnored private var isStopped = false
    @ObservationIgnored private var isHydrated = false
    @ObservationIgnored private var polls = false
    /// Whose app it is.
    @ObservationIgnored private var user: UserID?
    /// One has taken leave, and the other's session has not begun.
    @ObservationIgnored private var isBetweenUsers = false
    /// When the backend itself told the config.
    @ObservationIgnored private var configToldAt: Int?
    @ObservationIgnored private var isLookingAtConfig = false

    public init(steps: BootSteps, clock: any ClientClock) {
        self.steps = steps
        self.clock = clock
    }

    /// To be called when a window appears; the first call counts. It returns when the app is ready, or halted.
    public func start() async {
        listen()
        await inTurn {
            guard !self.isStarted else { return }
            self.isStarted = true
            await self.goThrough()
        }
    }

    /// The button of a failure, and of maintenance. Does nothing unless the launch is halted.
    public func retry() async {
        await inTurn {
            guard case .halted = self.state else { return }
            await self.goThrough()
        }
    }

    /// The app came to the front: what halted it may be over, and what it was allowed may be no more.
    public func enterForeground() async {
        switch state {
        case .launching: break
        case .ready, .halted(.signIn): await lookAtConfig()
        case .halted: await retry()
        }
    }

    /// Takes phone and session from the user, and asks for another one.
    public func signOut() async {
        await inTurn {
            let before = self.state
            self.state = .launching(.authRestore)
            self.nextLook?.cancel()
            await self.stopPolling()
            await self.steps.farewell()
            await self.steps.closeSession()
            // What halted the app halts it for the next user, too.
            if case .halted(let screen) = before, screen != .signIn { return await self.goThrough() }
            self.halt(.signIn)
        }
    }

    /// Ends what runs, and returns when nothing does: a launch is given up wherever it is, and nothing is begun any more. For
    /// apps that end while their process lives on (debug builds, tests, simulated phones); the next one has its own.
    public func stop() async {
        isStopped = true
        watch?.cancel()
        launch?.cancel()
        await lastTurn?.value
        nextLook?.cancel()
        await takeDown()
        state = .launching(.configCheck)
    }

    // MARK: - One thing at a time

    private func inTurn(_ work: @escaping @MainActor () async -> Void) async {
        let before = lastTurn
        let turn = Task {
            await before?.value
            guard !self.isStopped else { return }
            await work()
        }
        lastTurn = turn
        await turn.value
    }

    private func listen() {
        guard watch == nil, !isStopped else { return }
        let users = steps.users()
        watch = Task { [weak self] in
            for await _ in users { await self?.userChanged() }
        }
        steps.beforeReplacement { [weak self] in await self?.takeLeave() }
    }

    // MARK: - The phases

    private func goThrough() async {
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
        // Given up: what came of it is nobody's any more.
        if Task.isCancelled { return await takeDown() }
        // The session may have ended under way.
        guard steps.currentUser()?.id == user else {
            await takeDown()
            if steps.currentUser() == nil { return halt(.signIn) }
            return await phases()
        }
        state = .ready
        AppLogger.info("The app is ready", category: .bootstrap)
    }

    /// - Returns: what halts the launch; nil: on to the next.
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
        // One that could not be asked for now is asked for the next time.
        configToldAt = steps.isConfigFresh() ? clock.now : nil
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

    /// Also of what was begun before the launch, by a push that woke the app.
    private func takeDown() async {
        await stopPolling()
        await steps.releaseActivities()
    }

    /// The app was ready and is no more.
    private func leave(for screen: BlockingScreen) async {
        // Nobody uses what is being taken down.
        state = .launching(.configCheck)
        await takeDown()
        halt(screen)
    }

    /// What the app was allowed at its launch it may not be any more, whether or not somebody is signed in.
    private func lookAtConfig() async {
        guard !isLookingAtConfig, configToldAt.map({ clock.now - $0 >= Self.configInterval }) ?? true else { return }
        isLookingAtConfig = true
        defer { isLookingAtConfig = false }
        guard let gate = try? await checkConfig(), let screen = BootRules.screen(gate) else { return }
        await inTurn {
            switch self.state {
            case .ready: await self.leave(for: screen)
            case .halted(.signIn): self.halt(screen)
            // A launch looks for itself.
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
                await self.goThrough()
            case .halted(.signIn) where now != nil: await self.goThrough()
            case .launching where self.isBetweenUsers: await self.goThrough()
            case .ready, .halted, .launching: break
            }
        }
    }

    /// Another user is about to come in place of this one, who has not signed out.
    private func takeLeave() async {
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
