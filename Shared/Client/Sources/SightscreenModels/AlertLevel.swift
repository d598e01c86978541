/// The alerts that a follower wants (`alerts` of a follow).
public enum AlertLevel: String, Codable, Sendable, CaseIterable {
    case all
    /// The alerts that decide a match, about a third of all: see `MatchAlert.isKey`.
    case key
    /// No alert except the one that iOS requires at a start.
    case none
}
