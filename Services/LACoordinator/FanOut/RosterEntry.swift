package import APNsProtocol
package import Sightscreen

/// Where an activity is, if it is anywhere.
struct RosterPlace: Sendable {
    var match: MatchID
    var shard: Int
    var key: RosterKey
}

/// An active activity as the loop that pushes to it takes it in.
package struct RosterEntry: Sendable {
    var key: RosterKey
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

    /// - Parameter shard: the top bits of its route.
    package init(
        key: RosterKey, match: MatchID, shard: Int, environment: APNsEnvironment, token: UpdateToken, tokenAt: Double,
        delivered: Stamp?, isNew: Bool, level: AlertLevel, infrequent: RosterKey? = nil
    ) {
        self.key = key
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
