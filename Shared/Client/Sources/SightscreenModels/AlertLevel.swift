/// The alerts that a follower wants (`alerts` of a follow).
public enum AlertLevel: String, Codable, Sendable, CaseIterable {
    case all
    /// The alerts that decide a match, about a third of all: see `MatchAlert.isKey`.
    case key
    /// No alert except the one that iOS requires at a start.
    case none
    /// A level that a newer server sends and this build does not know. No request has it.
    case other

    /// The levels that a follower can choose, in an order that must not change.
    public static let allCases: [Self] = [.all, .key, .none]

    public init(from decoder: any Decoder) throws {
        self = Self(rawValue: try decoder.singleValueContainer().decode(String.self)) ?? .other
    }
}
