package import Activities

/// The result of claiming an alert for some buckets. A bucket in neither set was claimed before.
package struct AlertClaims: Sendable, Hashable {
    /// Buckets that this claim was the first to claim: their phones may get the alert.
    package var gained: Set<AlertBucket> = []
    /// Buckets that were not tried: their shard's lease had expired or changed its holder. They may be tried again.
    package var unheld: Set<AlertBucket> = []

    package init() {}
}
