import SightscreenClient
import SightscreenModels

/// A Live Activity's card as the page draws it: the client library's layouts, and its colours by ink and appearance.
/// The page adds nothing to them.
struct CardTree: Encodable, Sendable {
    var layouts: [String: CardLayout]
    /// The colours by ink and by appearance: "#1B6FD0".
    var colours: [String: [String: String]]
    var tint: CardInk
    /// The text for VoiceOver, and for a browser's screen reader.
    var spoken: String

    init(_ card: MatchCard) {
        layouts = Dictionary(
            uniqueKeysWithValues: Presentation.allCases.map { ($0.rawValue, card.layout($0)) })
        tint = card.tint
        spoken = card.spoken
        var inks: Set<CardInk> = [tint, .background]
        for layout in layouts.values {
            for row in layout.rows {
                for piece in row.leading + row.trailing {
                    inks.insert(piece.ink)
                    if let field = piece.field { inks.insert(field) }
                }
            }
        }
        colours = Dictionary(
            uniqueKeysWithValues: inks.map { ink in
                let byAppearance = CardAppearance.allCases.map {
                    ($0.rawValue, CardPalette.colour(ink, $0).hex)
                }
                return (ink.rawValue, Dictionary(uniqueKeysWithValues: byAppearance))
            })
    }
}

extension CardTree {
    init(_ activity: LabActivity) {
        let title = activity.content.expanded.title
        self.init(
            MatchCard(
                state: activity.content,
                attributes: LiveActivityAttributes(activity.attributes, title: title, of: activity.matchId),
                isStale: activity.state == .stale))
    }

    /// The card of the newest state of a match that any phone or the API has; nil before the first.
    init?(_ match: LabMatch) {
        guard let content = match.content else { return nil }
        self.init(
            MatchCard(
                state: content, attributes: LiveActivityAttributes(nil, title: content.expanded.title, of: match.id),
                isStale: false))
    }
}

extension LiveActivityAttributes {
    /// - Parameter title: the title "MI v CSK", which names the sides where nothing else does.
    fileprivate init(_ known: LabActivity.Attributes?, title: String, of match: MatchID) {
        let sides = title.split(separator: " v ").map { String($0) }
        func team(_ id: Int64, _ name: String?, _ abbr: String?) -> Team {
            let code = abbr ?? (sides.count == 2 ? sides[Int(id) - 1] : "")
            return Team(id: id, name: name ?? code, code: code)
        }
        let (home, away) = (
            team(1, known?.homeTeam, known?.homeAbbr), team(2, known?.awayTeam, known?.awayAbbr)
        )
        let followed = known?.followedAbbr.map { $0 == away.code ? "2" : "1" }
        self.init(
            matchID: match, startID: StartID(""), home: home, away: away, competition: known?.competition ?? "",
            startsAt: known?.startsAt ?? 0, followedTeamID: followed)
    }
}

/// A phone as the page receives it: with the cards of its activities, by their ids.
struct PhoneWithCards: Encodable, Sendable {
    let phone: LabPhoneState

    private enum Key: String, CodingKey { case cards }

    func encode(to encoder: any Encoder) throws {
        try phone.encode(to: encoder)
        var container = encoder.container(keyedBy: Key.self)
        let cards = phone.activities.map { ($0.id, CardTree($0)) }
        try container.encode(Dictionary(cards) { first, _ in first }, forKey: .cards)
    }
}

/// The state beside the phones as the page receives it, with the card of each match's newest state, by the match's id.
struct LabWithCards: Encodable, Sendable {
    let lab: LabState

    private enum Key: String, CodingKey { case cards }

    func encode(to encoder: any Encoder) throws {
        try lab.encode(to: encoder)
        var container = encoder.container(keyedBy: Key.self)
        let cards = lab.matches.compactMap { match in CardTree(match).map { (match.id.description, $0) } }
        try container.encode(Dictionary(cards) { first, _ in first }, forKey: .cards)
    }
}
