import SightscreenClientTesting

extension PhoneLimits {
    /// What iOS allows in an hour, where an hour passes so many times faster.
    init(speed: Double) {
        self.init()
        func faster(_ count: Int) -> Int { Int((Double(count) * max(speed, 1)).rounded()) }
        startsPerHour = faster(startsPerHour)
        immediateUpdatesPerHour = faster(immediateUpdatesPerHour)
        infrequentUpdatesPerHour = faster(infrequentUpdatesPerHour)
        silentPushesPerHour = faster(silentPushesPerHour)
    }
}
