extension String {
    /// Returns a text of at most `bytes` bytes as JSON writes it (quotes and control characters count with their
    /// escapes), which ends in "…" when something was left out. It is never cut inside a character, so that an accent,
    /// a flag or a family emoji is whole or absent; when one character alone is too long, the result is "…".
    func shortened(to bytes: Int) -> String {
        guard utf8.reduce(0, { $0 + Self.jsonLength($1) }) > bytes else { return self }
        var room = bytes - 3
        var end = startIndex
        while end < endIndex {
            room -= self[end].utf8.reduce(0) { $0 + Self.jsonLength($1) }
            if room < 0 { break }
            end = index(after: end)
        }
        var kept = self[..<end]
        while kept.last == " " { kept.removeLast() }
        return kept + "…"
    }

    mutating func shorten(to bytes: Int) { self = shortened(to: bytes) }

    private static func jsonLength(_ byte: UInt8) -> Int {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): 2
        case 0..<0x20: 6
        default: 1
        }
    }
}
