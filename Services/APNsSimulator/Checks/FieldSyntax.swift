/// The forms that the values of Apple's header fields have.
enum FieldSyntax {
    /// Parses digits only: no sign, no fraction.
    static func integer(_ text: String) -> Int? {
        text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ? Int(text) : nil
    }

    /// Whether a text is a UUID in its canonical form, 8-4-4-4-12 hexadecimal digits.
    static func isUUID(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        return bytes.count == PushID.count && bytes.withUnsafeBytes { PushID($0).isCanonical }
    }

    /// Whether a text is a UUID in lower case, the form of an `apns-request-id`.
    static func isLowerCaseUUID(_ text: String) -> Bool {
        isUUID(text) && !text.utf8.contains { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }
    }

    /// Whether a text may be a bundle id or a topic: letters, digits, dots and hyphens.
    static func isName(_ text: some StringProtocol) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"):
                    true
                default: false
                }
            }
    }

    /// Whether a text is padded base64, as a channel id is. Its length says nothing.
    static func isBase64(_ text: String) -> Bool {
        var digits = text.utf8[...]
        while digits.last == UInt8(ascii: "="), text.utf8.count - digits.count < 2 { digits.removeLast() }
        return !digits.isEmpty && text.utf8.count % 4 == 0
            && digits.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "/"):
                    true
                default: false
                }
            }
    }
}
