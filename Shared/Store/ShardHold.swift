/// A shard that this process may work on, and the proof.
public struct ShardHold: Sendable, Hashable {
    public var shard: Int
    public var epoch: Int64
    /// As in `Lease`.
    public var trustUntil: ContinuousClock.Instant

    public init(shard: Int, epoch: Int64, trustUntil: ContinuousClock.Instant) {
        self.shard = shard
        self.epoch = epoch
        self.trustUntil = trustUntil
    }

    /// Nil for a lease of something else.
    public init?(_ lease: Lease) {
        guard let number = lease.name.shard else { return nil }
        self.init(shard: number, epoch: lease.epoch, trustUntil: lease.trustUntil)
    }
}
