package import Activities
package import SightscreenModels

/// An `end` push that this process has claimed and may send.
package struct EndClaim: Sendable {
    package var key: ActivityKey
    package var shard: Int
    package var environment: APNsEnvironment
    package var token: UpdateToken
    /// The card stays on the Lock Screen for a while; otherwise it disappears at once.
    package var lingers: Bool
    package var attempt: Int
    /// The newest content; nil when there is none or it cannot be decoded.
    package var contentState: ContentState?
    package var stamp: Stamp
    /// The database's clock, seconds since 1970.
    package var now: Int
}
