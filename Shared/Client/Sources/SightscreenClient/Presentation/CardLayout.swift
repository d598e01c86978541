/// The layout of one presentation of a match: rows from the top, each with pieces at the left and at the right. It
/// decides everything: the texts, their length, their sizes and their inks. A view only draws it.
public struct CardLayout: Codable, Hashable, Sendable {
    public var presentation: Presentation
    /// The width of the whole presentation with its margins, in points like all lengths. Width and height never exceed
    /// Apple's limits.
    public var width: Double
    public var height: Double
    /// The margin between the content and the left and right edges.
    public var margin: Double
    public var marginAbove: Double
    public var marginBelow: Double
    public var rows: [CardRow]

    /// The height of the button that a widget draws below the rows.
    public static let buttonHeight = 20.0

    /// Whether a button has room below the rows. Nothing of the rows gives way to it.
    public var hasRoomForButton: Bool {
        guard presentation == .lockScreen || presentation == .expanded else { return false }
        return height + Self.buttonHeight <= CardPlace.of(presentation).heightMax
    }
}

/// A row of a card.
public struct CardRow: Codable, Hashable, Sendable {
    public var leading: [CardPiece]
    public var trailing: [CardPiece]
    public var height: Double
    /// The distance to the row above.
    public var gap: Double
    /// Whether pieces of different sizes are aligned on their baseline. Otherwise they are centred vertically.
    public var isOnBaseline: Bool
    /// Whether the row is centred, in a presentation that is only as wide as its content. Other rows begin at the left.
    public var isCentred: Bool
    /// Whether the two ends are left and right of the camera, in the expanded island.
    public var isBesideCamera: Bool
}

/// A text or a mark of a card.
public struct CardPiece: Codable, Hashable, Sendable {
    /// The meaning of a piece. Its look does not follow from it.
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
        /// A thin vertical line, without text.
        case line
    }

    public enum Weight: String, Codable, Sendable { case regular, semibold, bold }

    public var role: Role
    public var shape: Shape
    /// The text to show, already cut where it had to be.
    public var text: String
    /// A time in seconds since 1970, shown as the time of day instead of a text.
    public var time: Int?
    /// The type size, in points.
    public var size: Double
    public var weight: Weight
    public var ink: CardInk
    /// The ink of the field under a chip or a circle.
    public var field: CardInk?
    /// The distance to the piece before it, if there is one.
    public var space: Double
    /// The width reserved for it, including an allowance for another font.
    public var width: Double
}
