/// Text from the provider, made fit for a Lock Screen: one line, no control characters, never longer than its place.
enum DisplayText {
    /// Longest player or team name, competition and sentence, in characters.
    static let nameMax = 40
    static let codeMax = 8
    static let lineMax = 100

    /// Trims, turns runs of white space and control characters into one space, and cuts at `limit` with "…".
    static func line(_ text: String, limit: Int = lineMax) -> String {
        var result = ""
        var gap = false
        var count = 0
        for character in text {
            let unwanted =
                character.isWhitespace || character.unicodeScalars.contains { $0.value < 32 || $0.value == 127 }
            if unwanted {
                gap = count > 0
                continue
            }
            if count + (gap ? 2 : 1) > limit {
                return result + "…"
            }
            if gap {
                result.append(" ")
                count += 1
                gap = false
            }
            // A flag or a letter with many marks counts once for a reader but may fill a payload.
            result.unicodeScalars.append(contentsOf: character.unicodeScalars.prefix(4))
            count += 1
        }
        return result
    }

    static func name(_ text: String) -> String { line(text, limit: nameMax) }
    static func code(_ text: String) -> String { line(text, limit: codeMax) }
}
