import Logging
import SightscreenModels

/// The matches whose phones wait while APNs accepts nothing for them. The log names each as it begins and ends.
struct StuckMatches {
    /// Nanoseconds after which a match is stuck; the alert SightscreenFanOutStuck waits as long.
    private static let after: Int64 = 20_000_000_000

    private var matches: Set<MatchID> = []

    /// - Parameter waits: how long the phones of each match have waited so, in nanoseconds.
    mutating func log(_ waits: [MatchID: Int64], _ logger: Logger) {
        for (match, wait) in waits where wait > Self.after && matches.insert(match).inserted {
            logger.warning(
                "Phones lack a version, and APNs accepts nothing for them",
                metadata: ["match.id": "\(match)", "seconds": "\(wait / 1_000_000_000)"])
        }
        for match in matches where waits[match] ?? 0 <= Self.after {
            matches.remove(match)
            logger.notice("A match's phones wait no longer", metadata: ["match.id": "\(match)"])
        }
    }
}
