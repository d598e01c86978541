/// Base64 with the URL alphabet and without padding (RFC 4648 section 5, RFC 7515 section 2).
public enum Base64URL {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    private static let values: [UInt8] = {
        var values = [UInt8](repeating: 0xff, count: 256)
        for (value, character) in alphabet.enumerated() { values[Int(character)] = UInt8(value) }
        return values
    }()

    public static func encode(_ bytes: some Sequence<UInt8>) -> String {
        var text: [UInt8] = []
        var bits = 0
        var count = 0
        for byte in bytes {
            bits = (bits << 8 | Int(byte)) & 0x3fff
            count += 8
            while count >= 6 {
                count -= 6
                text.append(alphabet[bits >> count & 0x3f])
            }
        }
        if count > 0 { text.append(alphabet[bits << (6 - count) & 0x3f]) }
        return String(decoding: text, as: UTF8.self)
    }

    /// Decodes exactly the spelling that `encode` gives, and returns nil for any other: padding, other characters, an
    /// impossible length and stray bits at the end are refused, so that two strings never mean the same bytes.
    public static func decode(_ text: some Collection<UInt8>) -> [UInt8]? { decode(Array(text).span) }

    static func decode(_ text: Span<UInt8>) -> [UInt8]? {
        let rest = text.count % 4
        guard rest != 1 else { return nil }
        let table = values
        let values = table.span
        // The bitwise OR of all values: each is below 64, except that of a character outside the alphabet.
        var seen: UInt8 = 0
        var stray: UInt32 = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: text.count * 3 / 4) { bytes, count in
            func value(_ index: Int) -> UInt32 {
                let value = values[Int(text[index])]
                seen |= value
                return UInt32(value)
            }
            func append(_ byte: UInt32) {
                bytes.initializeElement(at: count, to: UInt8(truncatingIfNeeded: byte))
                count += 1
            }
            var index = 0
            while index + 4 <= text.count {
                let bits = value(index) << 18 | value(index + 1) << 12 | value(index + 2) << 6 | value(index + 3)
                append(bits >> 16)
                append(bits >> 8)
                append(bits)
                index += 4
            }
            guard rest > 0 else { return }
            let bits = value(index) << 12 | value(index + 1) << 6 | (rest == 3 ? value(index + 2) : 0)
            append(bits >> 10)
            if rest == 3 { append(bits >> 2) }
            stray = rest == 3 ? bits & 0x3 : bits & 0x3ff
        }
        return seen < 64 && stray == 0 ? bytes : nil
    }

    public static func decode(_ text: some StringProtocol) -> [UInt8]? { decode(Array(text.utf8)) }
}
