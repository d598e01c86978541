import SightscreenModels

/// Moments in RFC 3339's form, as seconds since 1970.
enum DateText {
    /// Reads a moment like "2026-11-22T14:30:00Z", with any offset. A fraction of a second is dropped; a leap second
    /// counts as the last second of its minute. Returns nil for any other text.
    static func moment(_ text: String) -> Int? {
        var reader = Reader(text.dropFirst(10))
        guard let day = UTCDay(String(text.prefix(10))), reader.take("T", "t"), let hour = reader.number(2, 0...23),
            reader.take(":"),
            let minute = reader.number(2, 0...59), reader.take(":"), let second = reader.number(2, 0...60)
        else { return nil }
        if reader.take("."), !reader.skipDigits() { return nil }
        guard let offset = reader.offset(), reader.isAtEnd else { return nil }
        return day.startsAt + hour * 3_600 + minute * 60 + min(second, 59) - offset
    }

    private struct Reader {
        private let bytes: [UInt8]
        private var position = 0

        init(_ text: Substring) { bytes = Array(text.utf8) }

        var isAtEnd: Bool { position == bytes.count }

        mutating func take(_ characters: Unicode.Scalar...) -> Bool {
            guard position < bytes.count, characters.contains(Unicode.Scalar(bytes[position])) else { return false }
            position += 1
            return true
        }

        mutating func number(_ digits: Int, _ range: ClosedRange<Int>) -> Int? {
            guard position + digits <= bytes.count else { return nil }
            var value = 0
            for byte in bytes[position..<position + digits] {
                guard (0x30...0x39).contains(byte) else { return nil }
                value = value * 10 + Int(byte) - 0x30
            }
            position += digits
            return range.contains(value) ? value : nil
        }

        /// Returns false if there is no digit.
        mutating func skipDigits() -> Bool {
            let start = position
            while position < bytes.count, (0x30...0x39).contains(bytes[position]) { position += 1 }
            return position > start
        }

        /// Reads an offset, as seconds east of Greenwich.
        mutating func offset() -> Int? {
            if take("Z", "z") { return 0 }
            let isWest = position < bytes.count && bytes[position] == 0x2d
            guard take("+", "-"), let hours = number(2, 0...23), take(":"), let minutes = number(2, 0...59) else {
                return nil
            }
            return (hours * 3_600 + minutes * 60) * (isWest ? -1 : 1)
        }
    }
}
