/// The text of a JSON string with escapes in it.
enum JSONString {
    /// - Returns: nil when it is not text: an unknown escape, half a surrogate pair, a control character, bad UTF-8.
    static func unescaped(_ bytes: UnsafeBufferPointer<UInt8>) -> String? {
        var text: [UInt8] = []
        text.reserveCapacity(bytes.count)
        var place = 0
        while place < bytes.count {
            let byte = bytes[place]
            place += 1
            guard byte == UInt8(ascii: "\\") else {
                guard byte >= 0x20 else { return nil }
                text.append(byte)
                continue
            }
            guard place < bytes.count else { return nil }
            place += 1
            switch bytes[place - 1] {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(bytes[place - 1])
            case UInt8(ascii: "b"): text.append(0x08)
            case UInt8(ascii: "f"): text.append(0x0C)
            case UInt8(ascii: "n"): text.append(0x0A)
            case UInt8(ascii: "r"): text.append(0x0D)
            case UInt8(ascii: "t"): text.append(0x09)
            case UInt8(ascii: "u"):
                guard let scalar = scalar(bytes, &place) else { return nil }
                text.append(contentsOf: String(Character(scalar)).utf8)
            default: return nil
            }
        }
        return String(validating: text, as: UTF8.self)
    }

    /// Whether a string with escapes is this key. It is compared without making a text of it: an object may have a
    /// hundred thousand such keys, and each is compared for every member.
    static func says(_ key: JSONKey, _ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        var place = 0
        for offset in 0..<key.count {
            guard place < bytes.count else { return false }
            var byte = bytes[place]
            place += 1
            if byte == UInt8(ascii: "\\") {
                // The keys read here have neither quotes nor control characters, so only `\u` can stand for one of
                // their letters.
                guard place < bytes.count, bytes[place] == UInt8(ascii: "u") else { return false }
                place += 1
                guard let unit = unit(bytes, &place), unit < 0x80 else { return false }
                byte = UInt8(unit)
            }
            guard byte == key.name.utf8Start[offset] else { return false }
        }
        return place == bytes.count
    }

    /// The scalar of the four digits after `\u`, or of the two groups of a surrogate pair.
    private static func scalar(_ bytes: UnsafeBufferPointer<UInt8>, _ place: inout Int) -> Unicode.Scalar? {
        guard let first = unit(bytes, &place) else { return nil }
        guard UTF16.isLeadSurrogate(first) else { return Unicode.Scalar(first) }
        guard place + 2 <= bytes.count, bytes[place] == UInt8(ascii: "\\"), bytes[place + 1] == UInt8(ascii: "u") else {
            return nil
        }
        place += 2
        guard let second = unit(bytes, &place), UTF16.isTrailSurrogate(second) else { return nil }
        return UTF16.decode(UTF16.EncodedScalar([first, second]))
    }

    private static func unit(_ bytes: UnsafeBufferPointer<UInt8>, _ place: inout Int) -> UInt16? {
        guard place + 4 <= bytes.count else { return nil }
        var value: UInt16 = 0
        for byte in bytes[place..<place + 4] {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): value = value << 4 | UInt16(byte - UInt8(ascii: "0"))
            case UInt8(ascii: "a")...UInt8(ascii: "f"): value = value << 4 | UInt16(byte - UInt8(ascii: "a") + 10)
            case UInt8(ascii: "A")...UInt8(ascii: "F"): value = value << 4 | UInt16(byte - UInt8(ascii: "A") + 10)
            default: return nil
            }
        }
        place += 4
        return value
    }
}
