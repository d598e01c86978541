/// What an operator keeps from leaving, of one match or everywhere (`hold` of `/admin/hold`). Each level is stronger than
/// the one before it, and includes it.
public enum HoldLevel: String, Codable, Hashable, Sendable, CaseIterable, Comparable {
    /// Everything leaves.
    case none
    /// Nothing alerts: the state goes on in silence.
    case alerts
    /// No start, update or end leaves.
    case pushes

    /// Its place in `allCases`.
    public var strength: Int {
        switch self {
        case .none: 0
        case .alerts: 1
        case .pushes: 2
        }
    }

    public static func < (left: Self, right: Self) -> Bool { left.strength < right.strength }
}

/// `GET` and `PUT /admin/hold`, `/admin/matches/:id/hold`.
public struct HoldResponse: Codable, Hashable, Sendable {
    /// Nil: everywhere.
    public var matchId: MatchID?
    /// This hold alone.
    public var hold: HoldLevel
    /// The stronger of the match's and that for everywhere.
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
