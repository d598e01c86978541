public import SightscreenModels

/// The hold of one match, or of everywhere, as it is now.
public struct HoldState: Hashable, Sendable {
    /// Its own level.
    public var level: HoldLevel
    /// The stronger of its own and the one for everywhere: what the coordinators obey.
    public var effective: HoldLevel
    /// Since when it is at this level, seconds since 1970; nil when it was never set.
    public var setAt: Int?
    public var setBy: String?

    public init(level: HoldLevel, effective: HoldLevel, setAt: Int?, setBy: String?) {
        self.level = level
        self.effective = effective
        self.setAt = setAt
        self.setBy = setBy
    }
}
