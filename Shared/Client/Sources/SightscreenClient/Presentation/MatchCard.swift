public import SightscreenModels

/// The card of a match. It decides what each presentation shows, from a push's content and nothing else. The widget,
/// and everything that stands in for it, draws these layouts and decides nothing.
public struct MatchCard: Hashable, Sendable {
    public let state: ContentState
    public let attributes: LiveActivityAttributes
    /// Whether the content is out of date, which the card then shows.
    public let isStale: Bool

    public init(state: ContentState, attributes: LiveActivityAttributes, isStale: Bool) {
        self.state = state
        self.attributes = attributes
        self.isStale = isStale
    }

    public init(_ activity: PhoneActivity) {
        self.init(
            state: activity.content.state, attributes: activity.attributes, isStale: activity.state == .stale)
    }

    public func layout(_ presentation: Presentation) -> CardLayout {
        let facts = facts
        let layout: CardLayout =
            switch presentation {
            case .lockScreen: LargeCard(facts).lockScreen
            case .standBy: LargeCard(facts).standBy
            case .expanded: LargeCard(facts).expanded
            case .small: SmallCard(facts).small
            case .compactLeading: SmallCard(facts).compactLeading
            case .compactTrailing: SmallCard(facts).compactTrailing
            case .minimal: SmallCard(facts).minimal
            }
        return isStale ? layout.faded : layout
    }

    /// The text that VoiceOver speaks for every presentation. It always contains the score.
    public var spoken: String { SpokenMatch.text(of: facts) }

    /// The ink of the thin line around the island: that of the followed side, otherwise of the first one.
    public var tint: CardInk { .teamText(attributes.followedAbbr ?? facts.sides.first?.abbr ?? "") }

    /// The address that a tap opens in the app: "sightscreen://match/1304076". `MatchID(link:)` reads it.
    public var link: String { Self.linkStart + attributes.matchId.description }

    fileprivate static let linkStart = "sightscreen://match/"

    private var facts: MatchFacts { MatchFacts(state: state, attributes: attributes, isStale: isStale) }
}

extension MatchID {
    /// Reads the address of a card, `MatchCard.link`, which the app receives in `onOpenURL`; nil for any other address.
    public init?(link: String) {
        guard link.hasPrefix(MatchCard.linkStart) else { return nil }
        self.init(String(link.dropFirst(MatchCard.linkStart.count)))
    }
}

extension CardLayout {
    /// The layout of out-of-date content, in which only the word that says so stands out.
    fileprivate var faded: CardLayout {
        func faded(_ piece: CardPiece) -> CardPiece {
            var piece = piece
            if piece.role != .wait, piece.field == nil { piece.ink = .secondary }
            return piece
        }
        var layout = self
        for index in layout.rows.indices {
            layout.rows[index].leading = layout.rows[index].leading.map(faded)
            layout.rows[index].trailing = layout.rows[index].trailing.map(faded)
        }
        return layout
    }
}
