package import Activities
package import SightscreenModels
import Store

/// A push-to-start that this process may send, once.
package struct StartClaim: Sendable {
    package var key: ActivityKey
    package var route: DeviceRoute
    package var environment: APNsEnvironment
    package var token: PushToStartToken
    /// APNs has taken a push to it before.
    package var isProven: Bool
    package var startID: StartID
    /// Seconds since 1970.
    package var leaseUntil: Int
    package var attempt: Int
    /// It takes the place of an activity that runs.
    package var isRenewal: Bool
    /// The side that the user follows, if one.
    package var followedTeamID: String?
    package var match: MatchCard
}

/// What the attributes of a match's activities are made of.
package struct MatchCard: Sendable {
    package var id: MatchID
    package var competition: String
    package var home: Team
    package var away: Team
    /// Seconds since 1970.
    package var startsAt: Int
}
