/// A lease as its holder knows it.
public struct Lease: Sendable, Hashable {
    public var name: LeaseName
    /// Grows by one with every change of holder. A guarded write carries it, so that a holder that was replaced while it
    /// was asleep writes nothing.
    public var epoch: Int64
    /// Until then, by our own monotonic clock, nobody else can have taken it: shorter than the lease, and counted from
    /// before the request for it was sent.
    public var trustUntil: ContinuousClock.Instant
    /// When somebody else last asked for it, as far as was known when it was renewed.
    public var askedAt: ContinuousClock.Instant?

    public init(
        name: LeaseName, epoch: Int64, trustUntil: ContinuousClock.Instant, askedAt: ContinuousClock.Instant? = nil
    ) {
        self.name = name
        self.epoch = epoch
        self.trustUntil = trustUntil
        self.askedAt = askedAt
    }

    public var isTrusted: Bool { .now < trustUntil }
}
