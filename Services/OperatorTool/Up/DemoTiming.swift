/// The waiting periods that follow the speed of a tape. The services do not know the speed; they get shorter settings.
/// Alert freshness, leases and I/O time-outs keep their length, because the world they guard against is not faster.
struct DemoTiming: Sendable {
    var settings: [String: String]

    /// - Parameter channels: the matches have broadcast channels.
    init(speed: Double, channels: Bool) {
        func scaled(_ seconds: Double, atLeast least: Double) -> String {
            let value = max(seconds / speed, least)
            return "\(Int((value * 1_000).rounded()))ms"
        }
        settings = [
            "POLL_INTERVAL": scaled(5, atLeast: 0.2),
            "MARQUEE_POLL_INTERVAL": scaled(2.5, atLeast: 0.2),
            "SUSPENDED_POLL_INTERVAL": scaled(60, atLeast: 0.5),
            "ORCHESTRATOR_INTERVAL": scaled(30, atLeast: 1),
            "RESULT_HOLD": scaled(300, atLeast: 1),
            "SUPER_OVER_WAIT": scaled(1_200, atLeast: 2),
            "KEEPALIVE_INTERVAL": scaled(1_200, atLeast: 5),
            "START_FALLBACK_WAIT": scaled(120, atLeast: 2),
            "ACTIVITY_RENEW_AFTER": scaled(27_900, atLeast: 20),
            // APNs allows a channel no more publishes because a match is fast: its phones would miss most balls.
            "BROADCAST": channels || speed <= 1 ? "auto" : "off",
            // The stand-in for the provider has no quota, and a fast tape needs more calls than a real hour allows.
            "SPORTMONKS_HOURLY_LIMIT": "0",
        ]
        // A demo has no final's audience.
        if channels { settings["CHANNEL_MIN_FOLLOWERS"] = "10" }
    }
}
