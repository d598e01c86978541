/// What a launch is made of. `AppBootstrap` knows the order and nothing of the services; the initialiser in
/// `BootSteps+Wiring` knows the services and no order.
public struct BootSteps: Sendable {
    /// Before all phases: what the disk has of matches goes to memory. It takes milliseconds, and no network.
    public var hydrate: @Sendable () async -> Void
    public var checkConfig: @Sendable () async throws(APIError) -> AppGate
    /// Whether the last check was answered by the backend itself.
    public var isConfigFresh: @MainActor @Sendable () -> Bool
    public var restoreSession: @Sendable () async throws(AuthError) -> AppUser?
    public var syncFollows: @Sendable () async throws(APIError) -> Void
    public var restoreActivities: @Sendable () async -> Void
    /// Data sources may poll.
    public var startPolling: @Sendable () async -> Void
    /// The app is not ready any more: data sources stop.
    public var stopPolling: @Sendable () async -> Void
    /// Observers let go of activities and follows, which stay as they are. Nothing, where nobody holds any.
    public var releaseActivities: @Sendable () async -> Void
    /// Takes the phone from the user, in his name: the backend pushes to it no more, and it forgets what is his.
    public var farewell: @Sendable () async -> Void
    /// Ends the session.
    public var closeSession: @Sendable () async -> Void
    /// Who is signed in, now and after each change.
    public var users: @MainActor @Sendable () -> AsyncStream<AppUser?>
    public var currentUser: @MainActor @Sendable () -> AppUser?
    /// Takes what is to be done before another user's session takes the place of this one's.
    public var beforeReplacement: @MainActor @Sendable (@escaping @MainActor @Sendable () async -> Void) -> Void

    public init(
        hydrate: @escaping @Sendable () async -> Void,
        checkConfig: @escaping @Sendable () async throws(APIError) -> AppGate,
        isConfigFresh: @escaping @MainActor @Sendable () -> Bool,
        restoreSession: @escaping @Sendable () async throws(AuthError) -> AppUser?,
        syncFollows: @escaping @Sendable () async throws(APIError) -> Void,
        restoreActivities: @escaping @Sendable () async -> Void,
        startPolling: @escaping @Sendable () async -> Void, stopPolling: @escaping @Sendable () async -> Void,
        releaseActivities: @escaping @Sendable () async -> Void, farewell: @escaping @Sendable () async -> Void,
        closeSession: @escaping @Sendable () async -> Void,
        users: @escaping @MainActor @Sendable () -> AsyncStream<AppUser?>,
        currentUser: @escaping @MainActor @Sendable () -> AppUser?,
        beforeReplacement: @escaping @MainActor @Sendable (@escaping @MainActor @Sendable () async -> Void) -> Void
    ) {
        self.hydrate = hydrate
        self.checkConfig = checkConfig
        self.isConfigFresh = isConfigFresh
        self.restoreSession = restoreSession
        self.syncFollows = syncFollows
        self.restoreActivities = restoreActivities
        self.startPolling = startPolling
        self.stopPolling = stopPolling
        self.releaseActivities = releaseActivities
        self.farewell = farewell
        self.closeSession = closeSession
        self.users = users
        self.currentUser = currentUser
        self.beforeReplacement = beforeReplacement
    }
}
