public import SightscreenModels

/// A stamp that was taken for a repetition of the newest state.
public struct FreshStamp: Sendable, Hashable {
    public var stamp: Stamp
    /// The version that was newest when it was taken; an older state must not be sent with it.
    public var version: MatchVersion
    /// The database's clock when it was taken, seconds since 1970.
    public var at: Double

    public init(stamp: Stamp, version: MatchVersion, at: Double) {
        self.stamp = stamp
        self.version = version
        self.at = at
    }
}
