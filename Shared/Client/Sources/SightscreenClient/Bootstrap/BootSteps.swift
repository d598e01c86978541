/// The steps of a launch. `AppBootstrap` knows their order and not the services; the initialiser in `BootSteps+Wiring`
/// knows the services and not the order.
public struct BootSteps: Sendable {
    /// Loads stored matches into memory, before all phases. It takes milliseconds and no network.
    public var hydrate: @Sendable () async -> Void
    public var checkConfig: @Sendable () async throws(APIError) -> AppGate
    /// Whether the backend itself answered the last check.
    public var isConfigFresh: @MainActor @Sendable () -> Bool
    public var restoreSession: @Sendable () async throws(AuthError) -> AppUser?
    public var syncFollows: @Sendable () async throws(APIError) -> Void
    public var restoreActivities: @Sendable () async -> Void
    /// Lets data sources poll.
    public var startPolling: @Sendable () async -> Void
    /// Stops data sources, when the app is no longer ready.
    public var stopPolling: @Sendable () async -> Void
    /// Stops observing activities and follows, which stay as they are. Does nothing when none are observed.
    public var releaseActivities: @Sendable () async -> Void
    /// Unregisters the phone from its user while the session is still valid: the backend stops pushing to it, and the
    /// phone deletes the user's data.
    public var farewell: @Sendable () async -> Void
    /// Ends the session.
    public var closeSession: @Sendable () async -> Void
    /// Deletes the user's data at the backend and on the phone, while the session is still valid.
    public var eraseUser: @Sendable () async throws(APIError) -> Void
    /// Deletes the user from the pool, and with that the session.
    public var deleteUser: @Sendable () async throws(AuthError) -> Void
    /// A stream of the signed-in user, now and after each change.
    public var users: @MainActor @Sendable () -> AsyncStream<AppUser?>
    public var currentUser: @MainActor @Sendable () -> AppUser?
    /// Sets the work to do before another user's session replaces the current one.
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
        eraseUser: @escaping @Sendable () async throws(APIError) -> Void,
        deleteUser: @escaping @Sendable () async throws(AuthError) -> Void,
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
        self.eraseUser = eraseUser
        self.deleteUser = deleteUser
        self.users = users
        self.currentUser = currentUser
        self.beforeReplacement = beforeReplacement
    }
}
