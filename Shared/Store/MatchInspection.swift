public import Activities
public import SightscreenModels

/// `sightscreen inspect match`. Times are seconds since 1970 of the database's clock.
public struct MatchInspection: Sendable, Codable {
    public struct Fixture: Sendable, Codable {
        public var status: String
        public var title: String
        public var leagueId: Int?
        public var startsAt: Int?
        public var syncedAt: Int
        /// Since when the provider has not listed it.
        public var missingSince: Int?
    }

    public struct State: Sendable, Codable {
        public var displayState: String
        public var version: Int
        public var stamp: Int
        public var updatedAt: Int
        public var wentLiveAt: Int?
        public var suspendedAt: Int?
        public var isAtStumps: Bool
        public var settledAt: Int?
        public var endedAt: Int?
    }

    public struct LeaseHolder: Sendable, Codable {
        public var name: String
        public var holder: String
        public var epoch: Int
        /// Below 0: expired.
        public var secondsLeft: Int

        /// Of a lease on a poll group: the group's name.
        public var pollGroup: Substring? { name.hasPrefix("poll:") ? name.dropFirst("poll:".count) : nil }
    }

    /// A coordinator that is there.
    public struct ShardHolder: Sendable, Codable, Equatable {
        public var holder: String
        /// How many it holds; 0 for one that has just come.
        public var shards: Int
        /// Until the first of its leases expires.
        public var secondsLeft: Int

        /// The process's name, without which of its starts it is.
        public var instance: Substring { holder.prefix { $0 != "/" } }
    }

    public struct Count: Sendable, Codable, Equatable {
        public var status: String
        public var endReason: String?
        public var count: Int
    }

    /// Pending activities by what becomes of their start, and ends that a push still has to tell.
    public struct Pushes: Sendable, Codable, Equatable {
        public var startsToSend = 0
        public var startsOut = 0
        /// The app said that it starts its own.
        public var startsLocal = 0
        public var startsGivenUp = 0
        /// Activities that grow old and whose replacement has not shown itself.
        public var renewalsDue = 0
        public var endsOwed = 0
        public var endsDropped = 0
    }

    public struct AlertClaim: Sendable, Codable {
        public var version: Int
        public var buckets: Int
        public var bucketCount: Int
        public var holders: Int
        public var claimedAt: Int
    }

    public struct Finding: Sendable, Codable, Equatable {
        public var finding: ActivityFinding
        public var count: Int
    }

    public var matchId: MatchID
    public var now: Int
    public var phase: LivePhase
    public var fixture: Fixture?
    public var state: State?
    /// What holds for the match: the stronger of its own hold and the one for everywhere.
    public var hold: HoldLevel
    /// On the match, on reconciling, and on poll groups, of which one has the match. Those of groups that expired a day ago are
    /// not among them.
    public var leases: [LeaseHolder]
    /// Of 64, those that a coordinator holds.
    public var shardsHeld: Int
    public var coordinators: Int
    /// By coordinator, those with the most shards first.
    public var shardHolders: [ShardHolder]
    public var followers: Int
    public var followersExpired: Int
    public var followersWithoutPhone: Int
    /// Of followers, with a push-to-start token and Live Activities allowed.
    public var capableDevices: Int
    public var activities: [Count]
    public var pushes: Pushes
    public var alertClaims: [AlertClaim]
    /// Of each coordinator that has pushed it, those with the newest version first.
    public var fanOut: [FanOutProgress]
    /// Every phone of every follower, by what its case comes to; the most frequent first.
    public var findings: [Finding]
    /// Activities that have not ended, of nobody who follows, or on a phone that has no record.
    public var withoutFollower: Int
    /// The caps were counted for so many of the phones that wait; nil: for all.
    public var capsCountedFor: Int?
}
