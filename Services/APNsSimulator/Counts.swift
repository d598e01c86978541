import SightscreenModels

/// The answer to `GET /counts`: the results of all pushes so far, and the state of all devices.
struct Counts: Encodable, Sendable {
    /// The devices of one match, as their tokens were registered, by the stamp they show.
    struct Match: Encodable, Sendable {
        struct Stamp: Encodable, Sendable {
            /// The stamp; nil when the devices were shown nothing yet.
            var stamp: Int?
            var devices: Int

            /// Lists devices by stamp, the newest stamp first.
            static func list(_ shown: [Int?: Int]) -> [Self] {
                shown.map { Self(stamp: $0.key, devices: $0.value) }
                    .sorted { ($0.stamp ?? .min) > ($1.stamp ?? .min) }
            }
        }
        /// The match; nil for tokens registered without one.
        var match: Int?
        /// Devices with an update token.
        var devices = 0
        var deleted = 0
        var ended = 0
        /// The devices by stamp, the newest stamp first.
        var stamps: [Stamp] = []
    }

    var pushes: [Tally.Line]
    var alerts: [AlertTally.Line]
    /// The sum of the alerts' `devicesAgain`.
    var alertedAgain: Int
    var tokens: Int
    var matches: [Match]
    var broadcast: BroadcastCounts
}

extension Simulator {
    /// The counts so far. Every device is visited, which takes some milliseconds for each hundred thousand.
    var counts: Counts {
        var matches = tokens.matches.map { Counts.Match(match: $0) }
        var stamps = [[Int?: Int]](repeating: [:], count: matches.count)
        for index in 0..<tokens.count {
            let device = tokens.device(index).pointee
            guard device.kind == .update else { continue }
            let match = Int(device.match)
            matches[match].devices += 1
            if device.deletedAtMs != nil { matches[match].deleted += 1 }
            if device.phone.hasEnded { matches[match].ended += 1 }
            stamps[match][device.phone.shown?.rawValue, default: 0] += 1
        }
        for (index, shown) in stamps.enumerated() {
            matches[index].stamps = Counts.Match.Stamp.list(shown)
        }
        return Counts(
            pushes: tally.lines, alerts: alerts.lines, alertedAgain: alerts.alertedAgain, tokens: tokens.count,
            matches: matches.filter { $0.devices > 0 }, broadcast: broadcastCounts)
    }
}
