import APNsProtocol
package import SightscreenModels

/// How things stand in the loops at a moment, for the metrics.
package struct FanOutMeasure: Sendable {
    /// To one APNs host.
    package struct Lines: Sendable {
        package var connections = 0
        /// Streams in use.
        package var inFlight = 0

        package init(connections: Int = 0, inFlight: Int = 0) {
            self.connections = connections
            self.inFlight = inFlight
        }
    }

    package var phones = 0
    package var lines: [APNsEnvironment: Lines] = [:]
    /// Since the version was published that its phones have waited for longest, in nanoseconds; 0: all have theirs.
    package var lag: Int64 = 0

    package init(phones: Int = 0) { self.phones = phones }

    package mutating func add(_ other: Self) {
        phones += other.phones
        lag = max(lag, other.lag)
        for (environment, lines) in other.lines {
            self.lines[environment, default: Lines()].connections += lines.connections
            self.lines[environment, default: Lines()].inFlight += lines.inFlight
        }
    }
}
