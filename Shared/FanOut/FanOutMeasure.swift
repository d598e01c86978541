import APNsProtocol
package import SightscreenModels

/// The state of the loops at one moment, for the metrics.
package struct FanOutMeasure: Sendable {
    /// The connections to one APNs host.
    package struct Pool: Sendable {
        package var connections = 0
        /// Pushes in flight, each on its stream.
        package var inFlight = 0

        package init(connections: Int = 0, inFlight: Int = 0) {
            self.connections = connections
            self.inFlight = inFlight
        }
    }

    package var phones = 0
    package var pools: [APNsEnvironment: Pool] = [:]
    /// Nanoseconds since the publication of the version that phones have waited for longest; 0 when none wait.
    package var lag: Int64 = 0

    package init(phones: Int = 0) { self.phones = phones }

    package mutating func add(_ other: Self) {
        phones += other.phones
        lag = max(lag, other.lag)
        for (environment, pool) in other.pools {
            pools[environment, default: Pool()].connections += pool.connections
            pools[environment, default: Pool()].inFlight += pool.inFlight
        }
    }
}
