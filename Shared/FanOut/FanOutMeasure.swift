import APNsProtocol
package import Activities
package import SightscreenModels

/// The state of the loops at one moment, for the metrics.
package struct FanOutMeasure: Sendable {
    /// The connections to one APNs host.
    package struct Pool: Sendable {
        package var connections = 0
        /// Pushes in flight, each on its stream.
        package var inFlight = 0
        /// The host has accepted a push, or has proven tokens, which tell better what is wrong.
        package var isTested = false
        /// The accounts, three at most on each loop, whose tokens the host refused before it accepted any.
        package var untestedAccounts: Set<UInt64> = []

        package init(
            connections: Int = 0, inFlight: Int = 0, isTested: Bool = false, untestedAccounts: Set<UInt64> = []
        ) {
            self.connections = connections
            self.inFlight = inFlight
            self.isTested = isTested
            self.untestedAccounts = untestedAccounts
        }

        /// The accounts that say that our topic or the host's address is wrong, while nothing says that they are right.
        package var accountsRefused: Int { isTested ? 0 : untestedAccounts.count }

        mutating func add(_ other: Self) {
            connections += other.connections
            inFlight += other.inFlight
            isTested = isTested || other.isTested
            untestedAccounts.formUnion(other.untestedAccounts)
        }
    }

    /// The broadcast channels of one class.
    package struct Channels: Sendable {
        package var open = 0
        package var resting = 0
        /// Nanoseconds since the commit of the version that a channel has waited for longest; 0 when none waits.
        package var oldestUnpublished: Int64 = 0

        package init(open: Int = 0, resting: Int = 0) {
            self.open = open
            self.resting = resting
        }

        mutating func add(_ other: Self) {
            open += other.open
            resting += other.resting
            oldestUnpublished = max(oldestUnpublished, other.oldestUnpublished)
        }
    }

    package var phones = 0
    package var channels: [AudienceClass: Channels] = [:]
    package var pools: [APNsEnvironment: Pool] = [:]
    /// Nanoseconds since the publication of the version that phones have waited for longest; 0 when none wait.
    package var lag: Int64 = 0

    package init(phones: Int = 0, channels: [AudienceClass: Channels] = [:]) {
        self.phones = phones
        self.channels = channels
    }

    package mutating func add(_ other: Self) {
        phones += other.phones
        lag = max(lag, other.lag)
        for (audience, channels) in other.channels { self.channels[audience, default: Channels()].add(channels) }
        for (environment, pool) in other.pools { pools[environment, default: Pool()].add(pool) }
    }
}
