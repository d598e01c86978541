package import Store

/// A shard that this process may work on, and the proof.
package struct ShardHold: Sendable, Hashable {
    package var shard: Int
    package var epoch: Int64
    /// As in `Lease`.
    package var trustUntil: ContinuousClock.Instant

    package init(shard: Int, epoch: Int64, trustUntil: ContinuousClock.Instant) {
        self.shard = shard
        self.epoch = epoch
        self.trustUntil = trustUntil
    }

    /// Nil for a lease of something else.
    package init?(_ lease: Lease) {
        guard let number = lease.name.shard else { return nil }
        self.init(shard: number, epoch: lease.epoch, trustUntil: lease.trustUntil)
    }
}
