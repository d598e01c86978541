extension BootSteps {
    /// The app's services in their places.
    ///
    /// - Parameters:
    ///   - matches: hydrated before everything else.
    ///   - startPolling: for data sources that no view is bound to; those of views poll while their view is seen, which is
    ///     not before the app is ready.
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
                // Takes charge of what is on the screen, if nobody has: only then can it be ended.
                await liveActivities.start()
                await liveActivities.signOut()
                // The backend has heard; this is for the system's token.
                await notifications.unregisterDevice()
            },
            closeSession: { await auth.signOut() },
            users: { auth.users() }, currentUser: { auth.currentUser },
            beforeReplacement: { farewell in auth.beforeReplacement(farewell) })
    }
}
