import SightscreenModels

/// The part of `GET /counts` that concerns channels.
struct BroadcastCounts: Encodable, Sendable {
    /// The phones that listen to one channel, by the stamp they show.
    struct Channel: Encodable, Sendable {
        var id: String
        var environment: APNsEnvironment
        var ended: Int
        /// The phones by stamp, the newest stamp first.
        var stamps: [Counts.Match.Stamp]
    }

    var publishes: [Tally.Line]
    /// Deliveries of publishes to phones, by outcome.
    var deliveries: [BroadcastTally.Deliveries]
    var calls: [BroadcastTally.Call]
    var alerts: [AlertTally.Line]
    /// The sum of the alerts' `devicesAgain`.
    var alertedAgain: Int
    var channels: [Channel]
}

extension Simulator {
    var broadcastCounts: BroadcastCounts {
        let channels = channels.all.map { channel in
            var stamps: [Int?: Int] = [:]
            for listener in channel.listeners.all { stamps[listener.phone.shown?.rawValue, default: 0] += 1 }
            return BroadcastCounts.Channel(
                id: channel.id, environment: channel.environment,
                ended: channel.listeners.all.count { $0.phone.hasEnded }, stamps: Counts.Match.Stamp.list(stamps))
        }
        return BroadcastCounts(
            publishes: broadcasts.publishes.lines, deliveries: broadcasts.deliveries, calls: broadcasts.calls,
            alerts: broadcasts.alerts.lines, alertedAgain: broadcasts.alerts.alertedAgain, channels: channels)
    }
}
