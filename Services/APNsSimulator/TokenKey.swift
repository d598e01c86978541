/// A token of hexadecimal digits, packed two to a byte.
enum TokenKey {
    /// Digits of the longest token that can be registered.
    static let digitsMax = 400
    static let bytesMax = 200

    /// Packs the digits of a token, in upper or lower case.
    /// - Parameter target: room for `bytesMax`.
    /// - Returns: false when it is no token: too short, too long, or not hexadecimal.
    static func pack(_ text: UnsafeRawBufferPointer, into target: UnsafeMutableRawBufferPointer) -> Bool {
        guard text.count >= 2, text.count <= digitsMax else { return false }
        var isHex = true
        func value(_ byte: UInt8) -> UInt8 {
            let digit = byte &- UInt8(ascii: "0")
            let letter = (byte | 0x20) &- UInt8(ascii: "a")
            isHex = isHex && (digit < 10 || letter < 6)
            return digit < 10 ? digit : letter &+ 10
        }
        for index in 0..<text.count / 2 {
            target[index] = value(text[2 * index]) << 4 | value(text[2 * index + 1])
        }
        if text.count % 2 == 1 { target[text.count / 2] = value(text[text.count - 1]) << 4 }
        return isHex
    }

    /// Whether a text of hexadecimal digits is in lower case, the form in which the log shows a token.
    static func isLowerCase(_ text: UnsafeRawBufferPointer) -> Bool {
        text.reduce(0xff as UInt8) { $0 & $1 } & 0x20 != 0
    }

    static func text(_ bytes: UnsafeRawBufferPointer, digits: Int) -> String {
        String(unsafeUninitializedCapacity: digits) { target in
            for index in 0..<digits {
                let byte = bytes[index / 2]
                target[index] = hex[Int(index % 2 == 0 ? byte >> 4 : byte & 15)]
            }
            return digits
        }
    }

    private static let hex = Array("0123456789abcdef".utf8)
}
