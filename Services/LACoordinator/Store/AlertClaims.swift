/// What became of claiming an alert for some buckets. Those in neither set were claimed before.
package struct AlertClaims: Sendable, Hashable {
    /// Those for which nobody had claimed it: they may be told.
    package var gained: Set<Int> = []
    /// Those for which it was not even tried: their shard's lease had run out, or is somebody else's. It may be tried again.
    package var unheld: Set<Int> = []

    package init() {}
}
