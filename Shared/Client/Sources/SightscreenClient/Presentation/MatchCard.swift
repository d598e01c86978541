public import SightscreenModels

/// The card of a match: what each presentation shows, decided from what a push carried and from nothing else. A widget
/// and every stand-in for it draw its layouts, and decide nothing.
public struct MatchCard: Hashable, Sendable {
    public let state: ContentState
    public let attributes: LiveActivityAttributes
    /// The content is out of date: it is shown as such.
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

    /// What VoiceOver says of every presentation, composed from the data; never without the score.
    public var spoken: String { SpokenMatch.text(of: facts) }

    /// The colour of the thin line around the island: the followed side's, else the first one's.
    public var tint: CardInk { .teamText(facts.sides.first?.abbr ?? "") }

    /// What a touch hands to the app, which finds the match in its last part: "sightscreen://match/1304076".
    public var link: String { "sightscreen://match/\(attributes.matchId)" }

    private var facts: MatchFacts { MatchFacts(state: state, attributes: attributes, isStale: isStale) }
}

extension CardLayout {
    /// Out of date: nothing stands out but the word that says so.
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
