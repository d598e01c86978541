/// Which alerts a follower wants (`alerts` of a follow).
public enum AlertLevel: String, Codable, Sendable, CaseIterable {
    case all
    /// What decides a match, about a third of all: `MatchAlert.isKey`.
    case key
    /// None but the one that iOS requires at a start.
    case none
}
