/// The width of a text before it is drawn.
enum TextWidth {
    /// The factor for another font than the measured one.
    static let allowance = 1.08

    /// Returns the width in points, including the allowance. All digits count as wide as the widest one, as they are
    /// drawn.
    static func of(_ text: String, size: Double, weight: CardPiece.Weight) -> Double {
        var thousandths = 0
        for character in text { thousandths += advance(of: character, weight) }
        return Double(thousandths) / 1_000 * size * allowance
    }

    private static let symbols = Dictionary(
        uniqueKeysWithValues: FontAdvances.symbols.unicodeScalars.enumerated().map { ($0.element.value, $0.offset) })
    /// The positions of U+00A0 and of the first symbol in the tables.
    private static let (latinStart, symbolStart) = (0x7F - 0x20, 0x7F - 0x20 + 0x100 - 0xA0)
    /// The widths of characters that the tables do not have: that of a Chinese character, and a larger one for emoji.
    private static let (widest, emoji) = (1_000, 1_400)

    private static func advance(of character: Character, _ weight: CardPiece.Weight) -> Int {
        let table =
            switch weight {
            case .regular: FontAdvances.regular
            case .semibold: FontAdvances.semibold
            case .bold: FontAdvances.bold
            }
        // A syllable of an Indian script has several scalars, each of which may take its own room.
        return character.unicodeScalars.reduce(0) { sum, scalar in
            switch scalar.value {
            case 0x20...0x7E: sum + Int(table[Int(scalar.value) - 0x20])
            case 0xA0...0xFF: sum + Int(table[Int(scalar.value) - 0xA0 + latinStart])
            default:
                if let place = symbols[scalar.value] {
                    sum + Int(table[symbolStart + place])
                } else if scalar.value >= 0x1F000 {
                    max(sum, emoji)
                } else if scalar.properties.isDefaultIgnorableCodePoint
                    || scalar.properties.canonicalCombiningClass != .notReordered
                {
                    sum
                } else {
                    sum + widest
                }
            }
        }
    }
}
