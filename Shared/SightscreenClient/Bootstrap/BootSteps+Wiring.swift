extension BootSteps {
    /// The app's services in their places.
    ///
    /// - Parameters:
    ///   - hydrate: the match cache's `loadFromDisk`.
    ///   - startPolling: what lets data sources poll.
    public init(
        config: any AppConfigService, auth: any AuthService, liveActivities: any LiveActivityService,
        notifications: any NotificationService, hydrate: @escaping @Sendable () async -> Void = {},
        startPolling: @escaping @Sendable () async -> Void = {}, stopPolling: @escaping @Sendable () async -> Void = {}
    ) {
        self.init(
            hydrate: hydrate,
            checkConfig: { () async throws(APIError) -> AppGate in try await config.check() },
            restoreSession: { () async throws(AuthError) -> AppUser? in try await auth.restore() },
            syncFollows: { () async throws(APIError) in try await liveActivities.syncFollows() },
            restoreActivities: {
                await liveActivities.start()
                await notifications.start()
            },
            startPolling: startPolling, stopPolling: stopPolling,
            releaseActivities: { await liveActivities.stop() },
            signOut: {
                // Takes charge of what is on the screen, if nobody has: only then can it be ended.
                await liveActivities.start()
                await liveActivities.signOut()
                // The backend has heard; this is for the system's token.
                await notifications.unregisterDevice()
                await auth.signOut()
            },
            users: { auth.users() }, currentUser: { auth.currentAppUser })
    }
}
