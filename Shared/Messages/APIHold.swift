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
