public import SightscreenModels

/// An `end` that this process may send.
public struct EndClaim: Sendable {
    public var key: ActivityKey
    public var shard: Int
    public var environment: APNsEnvironment
    public var token: UpdateToken
    /// It stays on the Lock Screen for a while; else it goes at once.
    public var lingers: Bool
    public var attempt: Int
    /// The newest content, nil when there is none that can be read.
    public var contentState: ContentState?
    public var stamp: Stamp
    /// The database's clock, seconds since 1970.
    public var now: Int
}
