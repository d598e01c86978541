import APNsProtocol
import SightscreenModels

/// How things stand in the loops at a moment, for the metrics.
struct FanOutMeasure: Sendable {
    /// To one APNs host.
    struct Lines: Sendable {
        var connections = 0
        /// Streams in use.
        var inFlight = 0
    }

    var phones = 0
    var lines: [APNsEnvironment: Lines] = [:]
    /// Since the version was published that its phones have waited for longest, in nanoseconds; 0: all have theirs.
    var lag: Int64 = 0

    mutating func add(_ other: Self) {
        phones += other.phones
        lag = max(lag, other.lag)
        for (environment, lines) in other.lines {
            self.lines[environment, default: Lines()].connections += lines.connections
            self.lines[environment, default: Lines()].inFlight += lines.inFlight
        }
    }
}
