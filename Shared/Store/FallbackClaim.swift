public import Activities
public import SightscreenModels

/// A silent or visible push to an app that this process may send, once.
public struct FallbackClaim: Sendable {
    public var userID: UserID
    public var deviceID: DeviceID
    public var shard: Int
    public var environment: APNsEnvironment
    public var token: DeviceToken
    /// APNs has taken a push to it before.
    public var isProven: Bool
    public var step: StartFallback.Step
    /// The match whose activity could not be started.
    public var match: MatchCard
    /// The database's clock, seconds since 1970.
    public var now: Int
    /// It asks about cards whose tokens have died, not about a start.
    public var isReconcile: Bool
    /// Names this very claim.
    var mark: String
}
