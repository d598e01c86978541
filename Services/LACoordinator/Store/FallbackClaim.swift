package import Activities
package import SightscreenModels

/// A silent or visible push to an app that this process may send, once.
package struct FallbackClaim: Sendable {
    package var userID: UserID
    package var deviceID: DeviceID
    package var shard: Int
    package var environment: APNsEnvironment
    package var token: DeviceToken
    /// APNs has taken a push to it before.
    package var isProven: Bool
    package var step: StartFallback.Step
    /// The match whose activity could not be started.
    package var match: MatchCard
    /// The database's clock, seconds since 1970.
    package var now: Int
    /// It asks about cards whose tokens have died, not about a start.
    package var isReconcile: Bool
    /// Names this very claim.
    var mark: String
}
