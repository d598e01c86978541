package import Store

/// A shard that this process may work on. The epoch proves it in every guarded statement.
package struct ShardLease: Sendable, Hashable {
    package var shard: Int
    package var epoch: Int64
    /// The instant until which the lease is trusted, as in `Lease`.
    package var trustUntil: ContinuousClock.Instant

    package init(shard: Int, epoch: Int64, trustUntil: ContinuousClock.Instant) {
        self.shard = shard
        self.epoch = epoch
        self.trustUntil = trustUntil
    }

    /// Fails for a lease that is not a shard's.
    package init?(_ lease: Lease) {
        guard let number = lease.name.shard else { return nil }
        self.init(shard: number, epoch: lease.epoch, trustUntil: lease.trustUntil)
    }
}
