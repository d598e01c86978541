import SightscreenModels

/// The answer to `GET /counts`: what became of all pushes so far, and where all devices stand.
struct Counts: Encodable, Sendable {
    /// The devices of one match, as their tokens were registered, and what they show.
    struct Match: Encodable, Sendable {
        struct Stamp: Encodable, Sendable {
            /// Nil: nothing was shown to them yet.
            var stamp: Int?
            var devices: Int
        }
        /// Nil: of tokens that were registered without one.
        var match: Int?
        /// Those with an update token.
        var devices = 0
        var deleted = 0
        var ended = 0
        /// The newest stamp first.
        var stamps: [Stamp] = []
    }

    var pushes: [Tally.Line]
    var alerts: [AlertBook.Line]
    /// Sum of the alerts' `devicesAgain`.
    var alertedAgain: Int
    var tokens: Int
    var matches: [Match]
}

extension Simulator {
    /// Looks at every device: some milliseconds for each hundred thousand.
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
            matches[index].stamps = shown.map { Counts.Match.Stamp(stamp: $0.key, devices: $0.value) }
                .sorted { ($0.stamp ?? .min) > ($1.stamp ?? .min) }
        }
        return Counts(
            pushes: tally.lines, alerts: alerts.lines, alertedAgain: alerts.lines.reduce(0) { $0 + $1.devicesAgain },
            tokens: tokens.count, matches: matches.filter { $0.devices > 0 })
    }
}
