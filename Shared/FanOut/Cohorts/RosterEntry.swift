package import Activities
package import SightscreenModels

/// The place where the loops keep an activity, if they have it.
package struct RosterPlace: Hashable, Sendable {
    package var match: MatchID
    package var shard: Int
    package var key: RosterKey
    /// The phone that the activity is on; see `RosterKey.phone`.
    package var phone: RosterKey

    package init(_ activity: ActivityKey, shard: Int) {
        match = activity.matchID
        self.shard = shard
        key = RosterKey(activity)
        phone = key.phone(generation: activity.generation)
    }
}

/// An active activity as the loop that pushes to it takes it in.
package struct RosterEntry: Sendable {
    package var key: RosterKey
    /// The phone that the activity is on; see `RosterKey.phone`.
    package var phone: RosterKey
    package var match: MatchID
    /// The shard: the top bits of the device's route.
    package var shard: Int
    package var environment: APNsEnvironment
    package var token: UpdateToken
    /// When the token was registered, seconds since 1970.
    package var tokenAt: Double
    /// The stamp that the phone is known to show; nil when none is known.
    package var delivered: Stamp?
    /// The first state is sent at once, at priority 10.
    package var isNew: Bool
    package var level: AlertLevel
    /// When the level was set, in seconds since 1970: alerts of versions before that are not told any more. Nil when no
    /// alert before it is fresh.
    package var levelAt: Double?
    /// The key of the phone if its user has switched frequent updates off, else nil: the budget of such a phone spans
    /// its matches.
    package var infrequent: RosterKey?

    /// - Parameters:
    ///   - phone: the key of the phone; nil when the activity is the phone's only one.
    ///   - shard: the top bits of the device's route.
    package init(
        key: RosterKey, phone: RosterKey? = nil, match: MatchID, shard: Int, environment: APNsEnvironment,
        token: UpdateToken, tokenAt: Double, delivered: Stamp?, isNew: Bool, level: AlertLevel,
        levelAt: Double? = nil, infrequent: RosterKey? = nil
    ) {
        self.key = key
        self.phone = phone ?? key
        self.match = match
        self.shard = shard
        self.environment = environment
        self.token = token
        self.tokenAt = tokenAt
        self.delivered = delivered
        self.isNew = isNew
        self.level = level
        self.levelAt = levelAt
        self.infrequent = infrequent
    }
}
