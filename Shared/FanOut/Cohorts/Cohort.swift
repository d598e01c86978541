import Activities
import HTTP2

/// An audience of a match: the tokens of a shard, or a broadcast channel. Versions, alert claims, holds and connections
/// are the same for both. The audiences differ in what a row stands for: one activity, or all that listen to the
/// channel.
protocol Cohort: CohortRows {
    /// The kind by which pushes are counted.
    var kind: PushKind { get }
    /// The number of pushes that a version takes. Each reaches `reach` phones.
    var count: Int { get }
    /// The part of the match's audience for which alerts are claimed.
    var bucket: AlertBucket { get }

    /// Seconds after its commit from which the newest state needs a fresh stamp.
    var lateAfter: Int { get }

    /// Whether a push with this content may leave now.
    func allows(_ variant: PushVariant) -> Bool

    /// Notes that a push with this content has left.
    func noteSent(_ variant: PushVariant)

    /// The key of the phone if its user has switched frequent updates off, else nil.
    func infrequentPhone(_ slot: Int) -> RosterKey?

    /// Calls `body` with the `:path` of a push to a row.
    func withPath(_ slot: Int, _ scratch: TokenPath, _ body: (UnsafeBufferPointer<UInt8>) -> Bool) -> Bool

    /// Returns the header fields of a push.
    func template(
        _ variant: PushVariant, _ authority: String, _ authorization: ProviderAuthorization
    ) -> HTTP2HeaderTemplate
}
