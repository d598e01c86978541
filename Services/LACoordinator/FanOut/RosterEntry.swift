package import SightscreenModels
import Store

/// Where an activity is, if it is anywhere.
struct RosterPlace: Sendable {
    var match: MatchID
    var shard: Int
    var key: RosterKey
    /// That the activity is on; see `RosterKey.phone`.
    var phone: RosterKey

    init(_ activity: ActivityKey, shard: Int) {
        match = activity.matchID
        self.shard = shard
        key = RosterKey(activity)
        phone = key.phone(generation: activity.generation)
    }
}

/// An active activity as the loop that pushes to it takes it in.
package struct RosterEntry: Sendable {
    var key: RosterKey
    /// That the activity is on; see `RosterKey.phone`.
    var phone: RosterKey
    var match: MatchID
    /// The top bits of its route.
    var shard: Int
    var environment: APNsEnvironment
    var token: UpdateToken
    /// When the token was registered, seconds since 1970.
    var tokenAt: Double
    /// What it is known to show.
    var delivered: Stamp?
    /// The first state goes at once, at priority 10.
    var isNew: Bool
    var level: AlertLevel
    /// Names the phone, if its user has switched frequent updates off: its budget spans its matches.
    var infrequent: RosterKey?

    /// - Parameters:
    ///   - phone: nil: the activity is its phone's only one.
    ///   - shard: the top bits of its route.
    package init(
        key: RosterKey, phone: RosterKey? = nil, match: MatchID, shard: Int, environment: APNsEnvironment,
        token: UpdateToken, tokenAt: Double, delivered: Stamp?, isNew: Bool, level: AlertLevel,
        infrequent: RosterKey? = nil
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
        self.infrequent = infrequent
    }
}
