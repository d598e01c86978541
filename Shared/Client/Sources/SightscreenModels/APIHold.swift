/// The pushes that an operator stops, for one match or for all (`hold` of `/admin/hold`). Each level includes the one
/// before it.
public enum HoldLevel: String, Codable, Hashable, Sendable, CaseIterable, Comparable {
    /// Every push leaves.
    case none
    /// No push alerts; updates go on in silence.
    case alerts
    /// No start, update or end leaves.
    case pushes

    /// The level's place in `allCases`.
    public var strength: Int {
        switch self {
        case .none: 0
        case .alerts: 1
        case .pushes: 2
        }
    }

    public static func < (left: Self, right: Self) -> Bool { left.strength < right.strength }
}

/// The answer to `GET` and `PUT` of `/admin/hold` and `/admin/matches/:id/hold`.
public struct HoldResponse: Codable, Hashable, Sendable {
    /// The held match; nil when the hold is for all matches.
    public var matchId: MatchID?
    /// The level of this hold alone.
    public var hold: HoldLevel
    /// The level in force: the stronger of the match's own hold and the hold for all matches.
    public var effective: HoldLevel
    /// Seconds since 1970.
    public var setAt: Int?
    public var setBy: String?

    public init(matchId: MatchID?, hold: HoldLevel, effective: HoldLevel, setAt: Int?, setBy: String?) {
        self.matchId = matchId
        self.hold = hold
        self.effective = effective
        self.setAt = setAt
        self.setBy = setBy
    }
}
