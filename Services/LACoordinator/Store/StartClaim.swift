package import Activities
package import SightscreenModels
import Store

/// A push-to-start that this process has claimed and may send once.
package struct StartClaim: Sendable {
    package var key: ActivityKey
    package var route: DeviceRoute
    package var environment: APNsEnvironment
    package var token: PushToStartToken
    /// APNs has accepted a push to this token before.
    package var isProven: Bool
    package var startID: StartID
    /// Seconds since 1970.
    package var leaseUntil: Int
    package var attempt: Int
    /// The start replaces a running activity before iOS ends it.
    package var isRenewal: Bool
    /// The channel that the activity is to subscribe to; nil for an activity with a token.
    package var channel: ChannelID?
    /// The team that the user follows; nil when the follow names none.
    package var followedTeamID: String?
    package var match: MatchCard
}

/// The facts about a match that go into the attributes of its activities.
package struct MatchCard: Sendable {
    package var id: MatchID
    package var competition: String
    package var home: Team
    package var away: Team
    /// Seconds since 1970.
    package var startsAt: Int
}
