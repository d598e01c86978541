/// A colour on the screen: 24 bits of sRGB.
public struct CardColour: Hashable, Sendable {
    public var rgb: UInt32
    init(_ rgb: UInt32) { self.rgb = rgb }

    public var red: Double { Double(rgb >> 16 & 0xFF) / 255 }
    public var green: Double { Double(rgb >> 8 & 0xFF) / 255 }
    public var blue: Double { Double(rgb & 0xFF) / 255 }

    /// The colour as hex digits, such as "#1B6FD0".
    public var hex: String {
        let digits = String(rgb, radix: 16, uppercase: true)
        return "#" + String(repeating: "0", count: max(6 - digits.count, 0)) + digits
    }
}

/// The appearance that the system asks for.
public enum CardAppearance: String, Codable, Hashable, Sendable, CaseIterable {
    case light, dark, lightContrast, darkContrast
    /// The appearance in the Dynamic Island and StandBy: black, whatever the rest of the system looks like.
    case island

    public init(isDark: Bool, isContrastIncreased: Bool) {
        self =
            isContrastIncreased
            ? (isDark ? .darkContrast : .lightContrast) : (isDark ? .dark : .light)
    }
}

/// Turns inks into colours. Texts have a contrast of 4.5 to 1 or more to their background, on the card and on a field,
/// and 7 to 1 when more contrast is asked for. The fields of a four, a six and a wicket have 3 to 1 to the card.
public enum CardPalette {
    public static func colour(_ ink: CardInk, _ appearance: CardAppearance) -> CardColour {
        let words = ink.rawValue.split(separator: " ", maxSplits: 1).map { String($0) }
        guard words.count == 2 else { return CardColour(fixed(ink, appearance)) }
        let team = colours(of: words[1])
        let isLight = appearance == .light || appearance == .lightContrast
        let side = isLight ? team.light : team.dark
        switch words[0] {
        case "team": return appearance.isContrastIncreased ? side.contrastField : side.field
        case "onTeam": return side.onField
        // A side's colour gets its contrast from its lightness. More contrast is only possible with black or white.
        default: return appearance.isContrastIncreased ? CardColour(isLight ? 0x000000 : 0xFFFFFF) : side.text
        }
    }

    /// Returns the colours for a side's short name. The same name has the same colours on every phone.
    static func colours(of abbr: String) -> TeamColours {
        if let known = TeamColours.known[abbr.uppercased()] { return known }
        let sum = abbr.unicodeScalars.reduce(UInt32(7)) { $0 &* 31 &+ $1.value }
        return TeamColours.others[Int(sum % UInt32(TeamColours.others.count))]
    }

    private static func fixed(_ ink: CardInk, _ appearance: CardAppearance) -> UInt32 {
        let (light, dark, lightContrast, darkContrast): (UInt32, UInt32, UInt32, UInt32) =
            switch ink {
            case .background: (0xF4F5F7, 0x1B1D22, 0xFFFFFF, 0x000000)
            case .secondary: (0x5A5E68, 0xA6ABB8, 0x33363D, 0xD6D9E0)
            case .need: (0x0A5FBF, 0x64B1FF, 0x003E8A, 0xA9D4FF)
            case .fine: (0x0B7038, 0x45D67A, 0x004D22, 0x8CF0AE)
            case .wicket: (0xBA1424, 0xFF8480, 0x8C0010, 0xFFB3AF)
            case .wait: (0x8A4B00, 0xFFC067, 0x633300, 0xFFD9A1)
            case .plainBall: (0xDFE1E6, 0x3A3E47, 0xD5D7DD, 0x454A55)
            case .onPlainBall: (0x2A2D34, 0xF2F3F6, 0x000000, 0xFFFFFF)
            // Dark fields would be invisible on black, so they are light there.
            case .four: (0x1257B8, 0x2F6CC4, 0x003E8A, 0x9DC7FF)
            case .six: (0x6A35B8, 0x7F52CC, 0x48148F, 0xD3B8FF)
            case .wicketBall: (0xC21B2C, 0xCC2B38, 0x8C0010, 0xFF8F88)
            case .onFour, .onSix, .onWicketBall: (0xFFFFFF, 0xFFFFFF, 0xFFFFFF, 0x000000)
            default: (0x0B0C0E, 0xFFFFFF, 0x000000, 0xFFFFFF)
            }
        switch appearance {
        case .light: return light
        case .dark: return dark
        case .lightContrast: return lightContrast
        case .darkContrast: return darkContrast
        case .island: return ink == .background ? 0x000000 : dark
        }
    }
}

extension CardAppearance {
    var isContrastIncreased: Bool { self == .lightContrast || self == .darkContrast }
}
