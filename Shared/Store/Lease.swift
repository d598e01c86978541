/// A lease as its holder knows it.
public struct Lease: Sendable, Hashable {
    public var name: LeaseName
    /// The epoch grows by one with every change of holder. A guarded write carries it, so that a holder that stalled
    /// and was replaced writes nothing.
    public var epoch: Int64
    /// Until this time, by our own monotonic clock, no other process can have acquired the lease: it is shorter than
    /// the lease, and counted from before the request for it was sent.
    public var trustUntil: ContinuousClock.Instant
    /// The time when another process last asked for the lease, as far as was known at the last renewal.
    public var askedAt: ContinuousClock.Instant?

    package init(
        name: LeaseName, epoch: Int64, trustUntil: ContinuousClock.Instant, askedAt: ContinuousClock.Instant? = nil
    ) {
        self.name = name
        self.epoch = epoch
        self.trustUntil = trustUntil
        self.askedAt = askedAt
    }

    public var isTrusted: Bool { .now < trustUntil }
}
