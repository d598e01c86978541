/// The reason why a frame can never be a match.
public enum FrameError: Error, Equatable, Sendable, CustomStringConvertible {
    /// Home and away are the same team.
    case oneTeam
    /// The innings of this number belongs to neither team.
    case foreignInnings(Int)
    /// A ball points outside the table of scores.
    case brokenTables

    public var description: String {
        switch self {
        case .oneTeam: "home and away are the same team"
        case .foreignInnings(let number): "innings \(number) belongs to neither team"
        case .brokenTables: "a ball points outside the table of scores"
        }
    }
}
