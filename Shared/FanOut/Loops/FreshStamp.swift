package import SightscreenModels

/// A stamp that was taken for a repetition of the newest state.
package struct FreshStamp: Sendable, Hashable {
    package var stamp: Stamp
    /// The version that was newest when it was taken; an older state must not be sent with it.
    package var version: MatchVersion
    /// The database's clock when it was taken, seconds since 1970.
    package var at: Double

    package init(stamp: Stamp, version: MatchVersion, at: Double) {
        self.stamp = stamp
        self.version = version
        self.at = at
    }
}
