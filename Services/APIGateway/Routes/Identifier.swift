/// The forms that texts from outside may have. No other text reaches the database.
enum Identifier {
    /// Returns whether the text matches `[A-Za-z0-9_-]{1,64}`.
    static func isValid(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count) && text.utf8.allSatisfy { isLetterOrDigit($0) || $0 == 0x2d || $0 == 0x5f }
    }

    /// Returns whether the text is an APNs token in hexadecimal, of either case: 64 to 512 digits, an even number.
    static func isToken(_ text: String) -> Bool {
        (64...512).contains(text.utf8.count) && text.utf8.count.isMultiple(of: 2) && text.utf8.allSatisfy(isHexDigit)
    }

    /// Returns whether the text is 1 to 64 characters of printable ASCII.
    static func isShortText(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count) && text.utf8.allSatisfy { (0x20...0x7e).contains($0) }
    }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x41...0x5a).contains(byte) || (0x61...0x7a).contains(byte)
    }

    private static func isHexDigit(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x41...0x46).contains(byte) || (0x61...0x66).contains(byte)
    }
}
