import SightscreenClientTesting

extension PhoneLimits {
    /// The limits of iOS, with an hour that passes `speed` times faster. The seconds of an app in the background stay
    /// enough for its calls, which are no faster.
    init(speed: Double) {
        self.init()
        func faster(_ count: Int) -> Int { Int((Double(count) * max(speed, 1)).rounded()) }
        immediateUpdatesPerHour = faster(immediateUpdatesPerHour)
        infrequentUpdatesPerHour = faster(infrequentUpdatesPerHour)
        silentPushesPerHour = faster(silentPushesPerHour)
        func shorter(_ seconds: Int, least: Int) -> Int { max(Int(Double(seconds) / max(speed, 1)), least) }
        startsSeconds = shorter(startsSeconds, least: 1)
        leavingSeconds = shorter(leavingSeconds, least: 2)
        wakeSeconds = shorter(wakeSeconds, least: 10)
        backgroundSeconds = shorter(backgroundSeconds, least: 10)
    }
}
