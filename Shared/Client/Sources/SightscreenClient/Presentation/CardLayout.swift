/// What one presentation of a match shows and where: rows from above, each of pieces from the left and pieces from the
/// right. Everything is decided: which texts, how long, how large, in which ink. What draws it only draws it.
public struct CardLayout: Codable, Hashable, Sendable {
    public var presentation: Presentation
    /// In points, as all lengths. The whole presentation with its margins; it never has more than Apple allows.
    public var width: Double
    public var height: Double
    /// Between the content and the left and the right edge.
    public var margin: Double
    public var marginAbove: Double
    public var marginBelow: Double
    public var rows: [CardRow]
}

/// A row of a card.
public struct CardRow: Codable, Hashable, Sendable {
    public var leading: [CardPiece]
    public var trailing: [CardPiece]
    public var height: Double
    /// Above the row.
    public var gap: Double
    /// How pieces of different sizes stand to each other: on one line of writing, else around one middle.
    public var isOnBaseline: Bool
    /// In a presentation as narrow as its content the rows are centred, elsewhere they begin at the left.
    public var isCentred: Bool
    /// The two ends stand left and right of the camera, in the expanded island.
    public var isBesideCamera: Bool
}

/// A text of a card, or a mark.
public struct CardPiece: Codable, Hashable, Sendable {
    /// What a piece tells. How it looks does not follow from it.
    public enum Role: String, Codable, Sendable {
        case team, score, overs, allOut, batter, striker, bowler, ball, overEnd, equation, rate, heading, lastEvent,
            partnership
        case session, competition, start, wait, muted
    }

    public enum Shape: String, Codable, Sendable {
        case text
        /// A text on a field with round corners.
        case chip
        /// A text on a round field.
        case circle
        /// A thin upright line, without text.
        case line
    }

    public enum Weight: String, Codable, Sendable { case regular, semibold, bold }

    public var role: Role
    public var shape: Shape
    /// As it is to be shown, cut where it had to be.
    public var text: String
    /// Seconds since 1970, shown as the time of day instead of a text.
    public var time: Int?
    /// Of the type.
    public var size: Double
    public var weight: Weight
    public var ink: CardInk
    /// Of the field under a chip or a circle.
    public var field: CardInk?
    /// To the piece before it, where there is one.
    public var space: Double
    /// The room that is kept for it, an allowance for another font included.
    public var width: Double
}
