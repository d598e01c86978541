package import Activities
package import SightscreenModels
package import Store

/// `sightscreen inspect match`. Times are seconds since 1970 of the database's clock.
package struct MatchInspection: Sendable, Codable {
    package struct Fixture: Sendable, Codable {
        package var status: String
        package var title: String
        package var leagueId: Int?
        package var startsAt: Int?
        package var syncedAt: Int
        /// Since when the provider has not listed it.
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
        /// Below 0: expired.
        package var secondsLeft: Int

        /// Of a lease on a poll group: the group's name.
        package var pollGroup: Substring? { name.hasPrefix("poll:") ? name.dropFirst("poll:".count) : nil }
    }

    /// A coordinator that is there.
    package struct ShardHolder: Sendable, Codable, Equatable {
        package var holder: String
        /// How many it holds; 0 for one that has just come.
        package var shards: Int
        /// Until the first of its leases expires.
        package var secondsLeft: Int

        /// The process's name, without which of its starts it is.
        package var instance: Substring { holder.prefix { $0 != "/" } }
    }

    package struct Count: Sendable, Codable, Equatable {
        package var status: String
        package var endReason: String?
        package var count: Int
    }

    /// Pending activities by what becomes of their start, and ends that a push still has to tell.
    package struct Pushes: Sendable, Codable, Equatable {
        package var startsToSend = 0
        package var startsOut = 0
        /// The app said that it starts its own.
        package var startsLocal = 0
        package var startsGivenUp = 0
        /// Activities that grow old and whose replacement has not shown itself.
        package var renewalsDue = 0
        package var endsOwed = 0
        package var endsDropped = 0
    }

    package struct AlertClaim: Sendable, Codable {
        package var version: Int
        package var buckets: Int
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
    /// What holds for the match: the stronger of its own hold and the one for everywhere.
    package var hold: HoldLevel
    /// On the match, on reconciling, and on poll groups, of which one has the match. Those of groups that expired a day ago are
    /// not among them.
    package var leases: [LeaseHolder]
    /// Of 64, those that a coordinator holds.
    package var shardsHeld: Int
    package var coordinators: Int
    /// By coordinator, those with the most shards first.
    package var shardHolders: [ShardHolder]
    package var followers: Int
    package var followersExpired: Int
    package var followersWithoutPhone: Int
    /// Of followers, with a push-to-start token and Live Activities allowed.
    package var capableDevices: Int
    package var activities: [Count]
    package var pushes: Pushes
    package var alertClaims: [AlertClaim]
    /// Of each coordinator that has pushed it, those with the newest version first.
    package var fanOut: [FanOutProgress]
    /// Every phone of every follower, by what its case comes to; the most frequent first.
    package var findings: [Finding]
    /// Activities that have not ended, whose user does not follow, or whose phone has no record.
    package var withoutFollower: Int
    /// The caps were counted for so many of the phones that wait; nil: for all.
    package var capsCountedFor: Int?
}
