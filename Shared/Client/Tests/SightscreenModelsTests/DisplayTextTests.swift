import SightscreenModels
import TestSupport
import Testing

@Suite struct DisplayTextTests {
    @Test(arguments: [
        ("Rohit Sharma", "Rohit Sharma"), ("  Rohit \n\t Sharma ", "Rohit Sharma"), ("", ""), (" \u{0}\u{7f} ", ""),
        // Scalars that change the direction of text or are invisible.
        ("Ro\u{202E}hit", "Rohit"), ("\u{2066}Rohit\u{2069}", "Rohit"), ("Ro\u{200B}hit\u{FEFF}", "Rohit"),
        ("Ro\u{200D}hit", "Rohit"), ("Ro\u{AD}hit", "Rohit"), ("Rohit\u{2028}Sharma", "Rohit Sharma"),
        ("\u{E0041}Rohit\u{E000}", "Rohit"), ("Rohit\u{3164}", "Rohit"), ("🏏\u{200D}", "🏏"), ("🏏\u{200D} x", "🏏 x"),
        // Scalars that are part of a character.
        ("👨‍👩‍👧‍👦 🏴󠁧󠁢󠁥󠁮󠁧󠁿 🇮🇳 1️⃣ ❤️", "👨‍👩‍👧‍👦 🏴󠁧󠁢󠁥󠁮󠁧󠁿 🇮🇳 1️⃣ ❤️"),
        ("Zoë Müller Å", "Zoë Müller Å"), ("ක්‍ෂ", "ක්‍ෂ"), ("می‌خواهم", "می‌خواهم"), ("محمد نبي", "محمد نبي"),
    ])
    func whatCannotBeSeenIsLeftOut(text: String, shown: String) {
        #expect(DisplayText.line(text).unicodeScalars.elementsEqual(shown.unicodeScalars))
    }

    @Test(arguments: [
        ("abcdef", 6, "abcdef"), ("abcdef", 5, "abcd…"), ("abc def", 5, "abc…"), ("abcd ef", 6, "abcd…"),
        ("🇮🇳🇵🇰🇱🇰", 3, "🇮🇳🇵🇰🇱🇰"), ("🇮🇳🇵🇰🇱🇰", 2, "🇮🇳…"), ("👨‍👩‍👧‍👦👨‍👩‍👧‍👦", 1, "…"), ("e\u{301}e\u{301}e\u{301}", 2, "e\u{301}…"),
        ("abc", 0, ""),
    ])
    func itIsCutBetweenCharacters(text: String, limit: Int, shown: String) {
        #expect(DisplayText.line(text, limit: limit) == shown)
        #expect(DisplayText.line(text, limit: limit).count <= limit)
    }

    @Test func aCharacterOfHundredsOfMarksIsGone() {
        #expect(DisplayText.line("Koh" + "l" + String(repeating: "\u{301}", count: 500) + "i") == "Kohi")
    }

    @Test func aNameOfTenThousandCharactersIsShort() {
        let name = DisplayText.name(String(repeating: "Warne ", count: 2_000))
        #expect(name.count <= DisplayText.nameMax && name.hasSuffix("…"))
    }

    /// For any text the result is short, and contains no invisible or control characters.
    @Test func randomTextIsMadeFitToBeShown() {
        let seed = UInt64.random(in: 0..<1_000_000)
        print("DisplayText seed \(seed)")
        var random = SeededGenerator(seed: seed)
        for _ in 0..<3_000 {
            var text = String.UnicodeScalarView()
            for _ in 0..<Int.random(in: 0...60, using: &random) {
                let value = UInt32.random(
                    in: Bool.random(using: &random) ? 0...0x2FF : 0x2000...0x20FF, using: &random)
                if let scalar = Unicode.Scalar(value) { text.append(scalar) }
            }
            let shown = DisplayText.line(String(text), limit: 40)
            #expect(shown.count <= 40)
            for scalar in shown.unicodeScalars {
                let category = scalar.properties.generalCategory
                #expect(category != .control && (0x202A...0x202E).contains(scalar.value) == false, "\(scalar.value)")
                #expect(scalar.value != 0x200B && scalar.value != 0x2060, "\(scalar.value)")
            }
            #expect(!shown.hasPrefix(" ") && !shown.hasSuffix(" ") && !shown.contains("  "))
        }
    }
}
