extension RealLiveActivityService {
    /// Creates the service and its three managers from the ports of one phone.
    public init(
        activityKit: any ActivityKitPort, transport: any APITransport, session: any SessionPort,
        store: any KeyValueStore, clock: any ClientClock, background: any BackgroundTimePort, profile: DeviceProfile,
        images: (any ImageCacheService)? = nil,
        jitter: @escaping @Sendable () -> Double = { Double.random(in: 0...1) }
    ) {
        let api = SightscreenAPI(transport: transport, session: session, clock: clock, jitter: jitter)
        self.init(
            tokens: RealLiveActivityTokenManager(
                activityKit: activityKit, api: api, device: profile.device, clock: clock, background: background,
                jitter: jitter),
            lifecycle: RealLiveActivityLifecycleManager(activityKit: activityKit, clock: clock),
            follows: RealFollowManager(
                api: api, device: profile.device, store: store, clock: clock, background: background, jitter: jitter),
            api: api, session: session, clock: clock, profile: profile, images: images)
    }
}
