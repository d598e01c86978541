public import SightscreenModels

/// The present hold of one match, or of everywhere.
public struct HoldState: Hashable, Sendable {
    /// The level set for this scope alone.
    public var level: HoldLevel
    /// The stronger of this level and the one for everywhere; coordinators obey it.
    public var effective: HoldLevel
    /// The time at which the level was set, in seconds since 1970; nil if it was never set.
    public var setAt: Int?
    public var setBy: String?

    package init(level: HoldLevel, effective: HoldLevel, setAt: Int?, setBy: String?) {
        self.level = level
        self.effective = effective
        self.setAt = setAt
        self.setBy = setBy
    }
}
