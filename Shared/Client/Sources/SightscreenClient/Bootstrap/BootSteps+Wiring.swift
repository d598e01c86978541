extension BootSteps {
    /// Creates the steps from the app's services.
    ///
    /// - Parameters:
    ///   - matches: the cache that is hydrated before all phases.
    ///   - startPolling: starts the data sources that no view is bound to. Those of views poll while their view is
    ///     visible, which is not before the app is ready.
    ///   - stopPolling: stops these data sources.
    public init(
        config: any AppConfigService, auth: any AuthService, liveActivities: any LiveActivityService,
        notifications: any NotificationService, matches: any MatchCacheStore,
        startPolling: @escaping @Sendable () async -> Void = {}, stopPolling: @escaping @Sendable () async -> Void = {}
    ) {
        self.init(
            hydrate: { await matches.loadFromDisk() },
            checkConfig: { () async throws(APIError) -> AppGate in try await config.check() },
            isConfigFresh: { config.isFresh },
            restoreSession: { () async throws(AuthError) -> AppUser? in try await auth.restore() },
            syncFollows: { () async throws(APIError) in try await liveActivities.syncFollows() },
            restoreActivities: {
                await liveActivities.start()
                await notifications.start()
            },
            startPolling: startPolling, stopPolling: stopPolling,
            releaseActivities: { await liveActivities.stop() },
            farewell: {
                // The service adopts the activities on screen, unless it already has: only then can it end them.
                await liveActivities.start()
                await liveActivities.signOut()
                // The backend is already informed; this call removes the system's token.
                await notifications.unregisterDevice()
            },
            closeSession: { await auth.signOut() },
            eraseUser: { () async throws(APIError) in
                try await liveActivities.deleteAccount()
                await notifications.unregisterDevice()
            },
            deleteUser: { () async throws(AuthError) in try await auth.deleteUser() },
            users: { auth.users() }, currentUser: { auth.currentUser },
            beforeReplacement: { farewell in auth.beforeReplacement(farewell) })
    }
}
