package import Activities
package import SightscreenModels
package import Store

/// The findings of `sightscreen inspect match`. Times are seconds since 1970 of the database's clock.
package struct MatchInspection: Sendable, Codable {
    package struct Fixture: Sendable, Codable {
        package var status: String
        package var title: String
        package var leagueId: Int?
        package var startsAt: Int?
        package var syncedAt: Int
        /// The time since which the provider has not listed the fixture.
        package var missingSince: Int?
    }

    package struct State: Sendable, Codable {
        package var displayState: String
        package var version: Int
        package var stamp: Int
        package var updatedAt: Int
        package var wentLiveAt: Int?
        package var suspendedAt: Int?
        package var isAtStumps: Bool
        package var settledAt: Int?
        package var endedAt: Int?
    }

    package struct LeaseHolder: Sendable, Codable {
        package var name: String
        package var holder: String
        package var epoch: Int
        /// Seconds until the lease expires; negative once it has expired.
        package var secondsLeft: Int

        /// The name of the poll group; nil for a lease that is not on one.
        package var pollGroup: Substring? { name.hasPrefix("poll:") ? name.dropFirst("poll:".count) : nil }
    }

    /// A coordinator that is alive.
    package struct ShardHolder: Sendable, Codable, Equatable {
        package var holder: String
        /// The number of shards it holds; 0 for one that has just started.
        package var shards: Int
        /// Seconds until the first of its leases expires.
        package var secondsLeft: Int

        /// The name of the process, without the part that identifies its start.
        package var instance: Substring { holder.prefix { $0 != "/" } }
    }

    package struct Count: Sendable, Codable, Equatable {
        package var status: String
        package var endReason: String?
        package var count: Int
    }

    /// Pending activities by the state of their start, and ends that a push still has to deliver.
    package struct Pushes: Sendable, Codable, Equatable {
        package var startsToSend = 0
        package var startsOut = 0
        /// Starts that the app said it makes itself.
        package var startsLocal = 0
        package var startsGivenUp = 0
        /// Activities due for renewal whose replacement is not active yet.
        package var renewalsDue = 0
        package var endsOwed = 0
        package var endsDropped = 0
    }

    package struct AlertClaim: Sendable, Codable {
        package var version: Int
        /// The buckets of phones that have tokens, and the channels, for which the alert was claimed.
        package var buckets: Int
        package var channels: Int
        package var bucketCount: Int
        package var holders: Int
        package var claimedAt: Int
    }

    package struct Finding: Sendable, Codable, Equatable {
        package var finding: ActivityFinding
        package var count: Int
    }

    package var matchId: MatchID
    package var now: Int
    package var phase: LivePhase
    package var fixture: Fixture?
    package var state: State?
    /// The hold in force for the match: the stronger of its own and the one for everywhere.
    package var hold: HoldLevel
    /// The leases on the match, on reconciling, and on the poll groups, of which one polls the match. Groups whose
    /// lease expired a day ago are left out.
    package var leases: [LeaseHolder]
    /// The number of shards, of 64, that coordinators hold.
    package var shardsHeld: Int
    package var coordinators: Int
    /// The coordinators, those with the most shards first.
    package var shardHolders: [ShardHolder]
    /// The processes that cannot read each push token, because they lack a key that is in use.
    package var keyless: [String]
    package var followers: Int
    package var followersExpired: Int
    package var followersWithoutPhone: Int
    /// Phones of followers with a push-to-start token and Live Activities allowed.
    package var capableDevices: Int
    package var activities: [Count]
    package var pushes: Pushes
    package var channels: [MatchChannel]
    package var alertClaims: [AlertClaim]
    /// The progress of each coordinator that has pushed the match, those with the newest version first.
    package var fanOut: [FanOutProgress]
    /// The phones of all followers by the finding of their case, the most frequent first.
    package var findings: [Finding]
    /// Activities that have not ended although their user does not follow, or their phone has no record.
    package var withoutFollower: Int
    /// The number of waiting phones for which the caps were counted; nil when it was all of them.
    package var capsCountedFor: Int?
}
