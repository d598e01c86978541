import SightscreenClientTesting

extension PhoneLimits {
    /// The hourly limits of iOS, with an hour that passes `speed` times faster.
    init(speed: Double) {
        self.init()
        func faster(_ count: Int) -> Int { Int((Double(count) * max(speed, 1)).rounded()) }
        startsPerHour = faster(startsPerHour)
        immediateUpdatesPerHour = faster(immediateUpdatesPerHour)
        infrequentUpdatesPerHour = faster(infrequentUpdatesPerHour)
        silentPushesPerHour = faster(silentPushesPerHour)
    }
}
