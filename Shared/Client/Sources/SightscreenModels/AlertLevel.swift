/// Which alerts a follower wants (`alerts` of a follow).
public enum AlertLevel: String, Codable, Sendable, CaseIterable {
    case all
    /// Match result, innings break, hat-trick, hundred (and 150 …), wicket.
    case key
    /// None but the one that iOS requires at a start.
    case none
}
