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

    /// Nil for anything but the one spelling `encode` gives: padding, other characters, an impossible length and
    /// stray bits at the end are refused, so that two strings never mean the same bytes.
    public static func decode(_ text: some Collection<UInt8>) -> [UInt8]? {
        guard text.count % 4 != 1 else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count * 3 / 4)
        var bits = 0
        var count = 0
        for character in text {
            let value = values[Int(character)]
            guard value != 0xff else { return nil }
            bits = (bits << 6 | Int(value)) & 0x3fff
            count += 6
            if count >= 8 {
                count -= 8
                bytes.append(UInt8(bits >> count & 0xff))
            }
        }
        guard bits & ((1 << count) - 1) == 0 else { return nil }
        return bytes
    }

    public static func decode(_ text: some StringProtocol) -> [UInt8]? { decode(Array(text.utf8)) }
}
