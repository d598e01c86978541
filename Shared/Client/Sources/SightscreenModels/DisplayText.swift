/// Makes text from outside (the provider, a schedule) fit for a Lock Screen: one line, nothing invisible, never longer
/// than its place, and never cut inside a character.
public enum DisplayText {
    /// The longest player name, team name or competition, in characters.
    public static let nameMax = 40
    /// The longest team code, in characters.
    public static let codeMax = 8
    /// The longest sentence, in characters.
    public static let lineMax = 100
    /// The most Unicode scalars in one character. A longer one is an attack and no writing: the longest emoji has 10,
    /// the flag of England 7, a syllable of an Indian script fewer.
    static let scalarsMax = 16

    /// Returns `text` trimmed, with one space for each run of white space and control characters, without invisible
    /// scalars (bidirectional overrides, zero-width spaces, byte order marks, a joiner that joins nothing), and cut at
    /// `limit` characters, the last of which is then "…". The scalars that make up a character stay: accents, flags,
    /// the joiners of a family or of an Indian or Arabic script.
    public static func line(_ text: String, limit: Int = lineMax) -> String {
        if isPlain(text, limit: limit) { return text }
        var result = ""
        var gap = false
        var count = 0
        for character in visible(text) where character.unicodeScalars.count <= scalarsMax {
            if character == " " {
                gap = count > 0
                continue
            }
            if count + (gap ? 2 : 1) > limit {
                // The ellipsis counts as one character.
                while count >= limit, !result.isEmpty {
                    result.removeLast()
                    count -= 1
                }
                while result.last == " " { result.removeLast() }
                return limit > 0 ? result + "…" : ""
            }
            if gap {
                result.append(" ")
                count += 1
                gap = false
            }
            result.append(character)
            count += 1
        }
        return result
    }

    /// Returns the name of a player, a team or a competition in at most `nameMax` characters.
    public static func name(_ text: String) -> String { line(text, limit: nameMax) }

    /// Returns a team's short code in at most `codeMax` characters.
    public static func code(_ text: String) -> String { line(text, limit: codeMax) }

    /// Whether the text is printable ASCII with single spaces inside. Most text is, and needs no change.
    private static func isPlain(_ text: String, limit: Int) -> Bool {
        var before = UInt8(ascii: " ")
        var count = 0
        for byte in text.utf8 {
            guard (0x20..<0x7F).contains(byte), byte != 0x20 || before != 0x20 else { return false }
            before = byte
            count += 1
        }
        return count <= limit && (count == 0 || before != 0x20)
    }

    /// Returns `text` with a space for each separator, and without invisible scalars.
    private static func visible(_ text: String) -> String {
        var kept = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            if scalar.properties.isWhitespace || scalar.value < 0x20 || (0x7F..<0xA0).contains(scalar.value) {
                dropIdleJoiner(&kept)
                kept.append(" ")
            } else if isShown(scalar) {
                if scalar.value < 0x600 { dropIdleJoiner(&kept) }
                kept.append(scalar)
            } else if joins(scalar, after: kept.last) {
                kept.append(scalar)
            }
        }
        dropIdleJoiner(&kept)
        return String(kept)
    }

    /// Removes a joiner at the end, which has nothing to join.
    private static func dropIdleJoiner(_ kept: inout String.UnicodeScalarView) {
        if let last = kept.last, last.value == 0x200C || last.value == 0x200D { kept.removeLast() }
    }

    private static func isShown(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.properties.isDefaultIgnorableCodePoint { return false }
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator, .privateUse, .surrogate, .unassigned: return false
        case .format: return !(0xFFF9...0xFFFB).contains(scalar.value)
        default: return true
        }
    }

    /// Whether an invisible scalar belongs to the visible one before it: a joiner or a variation selector of an emoji
    /// or of a script that has them (no script before Arabic does), or a tag of a flag.
    private static func joins(_ scalar: Unicode.Scalar, after before: Unicode.Scalar?) -> Bool {
        guard let before, before.value >= 0x600 else {
            // A digit, # or * becomes a keycap with the selector for emoji.
            return scalar.value == 0xFE0F && before.map { $0.isASCII && $0.properties.isEmoji } ?? false
        }
        switch scalar.value {
        case 0x200C, 0x200D: return before.value != 0x200C && before.value != 0x200D
        case 0xFE0E, 0xFE0F: return before.value != scalar.value
        case 0xE0020...0xE007F: return before.value == 0x1F3F4 || (0xE0020...0xE007E).contains(before.value)
        default: return false
        }
    }
}
