/// A colour by its purpose. `CardPalette` has the colour for each appearance.
public struct CardInk: RawRepresentable, Codable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public init(from decoder: any Decoder) throws {
        rawValue = try decoder.singleValueContainer().decode(String.self)
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(rawValue)
    }
    /// The inks for text of the first and the second rank.
    public static let primary = CardInk(rawValue: "primary"), secondary = CardInk(rawValue: "secondary")
    /// The inks for the runs that a side needs, for good events, for wickets, and for interruptions.
    public static let need = CardInk(rawValue: "need"), fine = CardInk(rawValue: "fine")
    public static let wicket = CardInk(rawValue: "wicket"), wait = CardInk(rawValue: "wait")
    /// The ink of the card's background.
    public static let background = CardInk(rawValue: "background")
    /// The inks of the fields under a ball's sign, and of the signs on them.
    public static let plainBall = CardInk(rawValue: "plainBall"), onPlainBall = CardInk(rawValue: "onPlainBall")
    public static let four = CardInk(rawValue: "four"), onFour = CardInk(rawValue: "onFour")
    public static let six = CardInk(rawValue: "six"), onSix = CardInk(rawValue: "onSix")
    public static let wicketBall = CardInk(rawValue: "wicketBall"), onWicketBall = CardInk(rawValue: "onWicketBall")

    static let fixed: [CardInk] = [
        .primary, .secondary, .need, .fine, .wicket, .wait, .background, .plainBall, .onPlainBall, .four, .onFour, .six,
        .onSix,
        .wicketBall, .onWicketBall,
    ]

    /// The inks of a side's field, of text on it, and of text in the side's colour.
    public static func team(_ abbr: String) -> CardInk { CardInk(rawValue: "team \(abbr)") }
    public static func onTeam(_ abbr: String) -> CardInk { CardInk(rawValue: "onTeam \(abbr)") }
    public static func teamText(_ abbr: String) -> CardInk { CardInk(rawValue: "teamText \(abbr)") }
}
