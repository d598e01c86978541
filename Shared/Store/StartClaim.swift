public import Activities
public import SightscreenModels

/// A push-to-start that this process may send, once.
public struct StartClaim: Sendable {
    public var key: ActivityKey
    public var route: DeviceRoute
    public var environment: APNsEnvironment
    public var token: PushToStartToken
    /// APNs has taken a push to it before.
    public var isProven: Bool
    public var startID: StartID
    /// Seconds since 1970.
    public var leaseUntil: Int
    public var attempt: Int
    /// It takes the place of an activity that runs.
    public var isRenewal: Bool
    /// The side that the user follows, if one.
    public var followedTeamID: String?
    public var match: MatchCard
}

/// What the attributes of a match's activities are made of.
public struct MatchCard: Sendable {
    public var id: MatchID
    public var competition: String
    public var home: Team
    public var away: Team
    /// Seconds since 1970.
    public var startsAt: Int
}
