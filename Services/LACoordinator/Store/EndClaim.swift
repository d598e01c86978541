package import Activities
package import SightscreenModels

/// An `end` that this process may send.
package struct EndClaim: Sendable {
    package var key: ActivityKey
    package var shard: Int
    package var environment: APNsEnvironment
    package var token: UpdateToken
    /// It stays on the Lock Screen for a while; else it goes at once.
    package var lingers: Bool
    package var attempt: Int
    /// The newest content, nil when there is none that can be read.
    package var contentState: ContentState?
    package var stamp: Stamp
    /// The database's clock, seconds since 1970.
    package var now: Int
}
