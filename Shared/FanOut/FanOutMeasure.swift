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
        /// Why the host gets nothing but a push now and then; nil while it is not stopped.
        package var stopped: HostTrouble?
        /// Why a loop has no connection; nil when it has one, or has tried none.
        package var lost: HostTrouble?
        /// The host has accepted a push, or has proven tokens, which tell better what is wrong.
        package var isTested = false
        /// The accounts, three at most on each loop, whose tokens the host refused before it accepted any.
        package var untestedAccounts: Set<UInt64> = []

        package init(
            connections: Int = 0, inFlight: Int = 0, stopped: HostTrouble? = nil, lost: HostTrouble? = nil,
            isTested: Bool = false, untestedAccounts: Set<UInt64> = []
        ) {
            self.connections = connections
            self.inFlight = inFlight
            self.stopped = stopped
            self.lost = lost
            self.isTested = isTested
            self.untestedAccounts = untestedAccounts
        }

        /// The accounts that say that our topic or the host's address is wrong, while nothing says that they are right.
        package var accountsRefused: Int { isTested ? 0 : untestedAccounts.count }

        /// Why pushes do not get through to the host; nil when nothing is known to keep them from it.
        package var trouble: HostTrouble? { stopped ?? (connections == 0 ? lost : nil) }

        mutating func add(_ other: Self) {
            connections += other.connections
            inFlight += other.inFlight
            stopped = stopped ?? other.stopped
            lost = lost ?? other.lost
            isTested = isTested || other.isTested
            untestedAccounts.formUnion(other.untestedAccounts)
        }
    }

    /// The broadcast channels of one class.
    package struct Channels: Sendable {
        package var open = 0
        package var resting = 0

        package init(open: Int = 0, resting: Int = 0) {
            self.open = open
            self.resting = resting
        }

        mutating func add(_ other: Self) {
            open += other.open
            resting += other.resting
        }
    }

    /// The activities with tokens, and the listeners of the channels.
    package var phones = 0
    package var channels: [AudienceClass: Channels] = [:]
    package var pools: [APNsEnvironment: Pool] = [:]
    package var backlogs: [MatchID: MatchBacklog] = [:]

    package init() {}

    package mutating func add(_ other: Self) {
        phones += other.phones
        for (audience, channels) in other.channels { self.channels[audience, default: Channels()].add(channels) }
        for (environment, pool) in other.pools { pools[environment, default: Pool()].add(pool) }
        for (match, backlog) in other.backlogs { backlogs[match, default: MatchBacklog()].add(backlog) }
    }

    /// Nanoseconds for which the match that is furthest behind has been so; 0 when none is.
    /// - Parameter now: by `MonotonicTime`, as below.
    package func lag(at now: Int64) -> Int64 { backlogs.values.compactMap(\.behindSince).map { now - $0 }.max() ?? 0 }

    /// Nanoseconds for which a channel of the class has lacked a version, the longest of all; 0 when none does.
    package func lag(of audience: AudienceClass, at now: Int64) -> Int64 {
        backlogs.values.flatMap(\.channels).filter { $0.key.audience == audience }
            .compactMap { $0.wait.map { now - $0.since } }.max() ?? 0
    }

    /// The matches of which APNs refuses every phone for its own token.
    package var refusedMatches: [MatchID] { backlogs.compactMap { $1.isRefused ? $0 : nil } }

    /// The phones of all matches that do not count among those that are behind.
    package var leftOut: MatchBacklog.LeftOut {
        backlogs.values.reduce(into: MatchBacklog.LeftOut()) { $0.add($1.leftOut) }
    }
}
