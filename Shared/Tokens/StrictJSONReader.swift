/// A recursive-descent reader of JSON in UTF-8 that is already known to be valid.
struct StrictJSONReader {
    /// The number of members for which room is made at once: as many as a bearer token's claims have.
    private static let membersUsually = 12

    private let bytes: [UInt8]
    private let depthMax: Int
    private var position = 0

    init(bytes: [UInt8], depthMax: Int) {
        self.bytes = bytes
        self.depthMax = depthMax
    }

    mutating func readDocument() throws(JSONValue.Refusal) -> JSONValue {
        skipSpace()
        let value = try readValue(depth: 0)
        skipSpace()
        guard position == bytes.count else { throw refusal("something follows the JSON value") }
        return value
    }

    private func refusal(_ reason: String) -> JSONValue.Refusal { JSONValue.Refusal(description: reason) }

    private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func skipSpace() {
        while let byte = next, byte == 0x20 || byte == 0x09 || byte == 0x0a || byte == 0x0d { position += 1 }
    }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard let byte = next, UInt32(byte) == character.value else { return false }
        position += 1
        return true
    }

    private mutating func readValue(depth: Int) throws(JSONValue.Refusal) -> JSONValue {
        switch next {
        case UInt8(ascii: "{"): return try readObject(depth: depth + 1)
        case UInt8(ascii: "["): return try readArray(depth: depth + 1)
        case UInt8(ascii: "\""): return .string(try readString())
        case UInt8(ascii: "t"): return try readWord("true", .bool(true))
        case UInt8(ascii: "f"): return try readWord("false", .bool(false))
        case UInt8(ascii: "n"): return try readWord("null", .null)
        case .some: return .number(try readNumber())
        case nil: throw refusal("the JSON ends too early")
        }
    }

    private mutating func readWord(_ word: StaticString, _ value: JSONValue) throws(JSONValue.Refusal) -> JSONValue {
        let count = word.utf8CodeUnitCount
        let matches = word.withUTF8Buffer { bytes.dropFirst(position).prefix(count).elementsEqual($0) }
        guard matches else { throw refusal("not JSON") }
        position += count
        return value
    }

    private mutating func readObject(depth: Int) throws(JSONValue.Refusal) -> JSONValue {
        guard depth <= depthMax else { throw refusal("nested deeper than \(depthMax)") }
        position += 1
        skipSpace()
        if take("}") { return .object([:]) }
        var members = [String: JSONValue](minimumCapacity: depth == 1 ? Self.membersUsually : 0)
        while true {
            skipSpace()
            guard next == UInt8(ascii: "\"") else { throw refusal("an object's key is missing") }
            let key = try readString()
            skipSpace()
            guard take(":") else { throw refusal("a key without a value") }
            skipSpace()
            let value = try readValue(depth: depth)
            guard members.updateValue(value, forKey: key) == nil else { throw refusal("a key occurs twice") }
            skipSpace()
            if take("}") { return .object(members) }
            guard take(",") else { throw refusal("an object that does not end") }
        }
    }

    private mutating func readArray(depth: Int) throws(JSONValue.Refusal) -> JSONValue {
        guard depth <= depthMax else { throw refusal("nested deeper than \(depthMax)") }
        position += 1
        var elements: [JSONValue] = []
        skipSpace()
        if take("]") { return .array(elements) }
        while true {
            skipSpace()
            elements.append(try readValue(depth: depth))
            skipSpace()
            if take("]") { return .array(elements) }
            guard take(",") else { throw refusal("an array that does not end") }
        }
    }

    /// Reads `-? (0 | [1-9][0-9]*) (. [0-9]+)? ([eE] [+-]? [0-9]+)?`.
    private mutating func readNumber() throws(JSONValue.Refusal) -> String {
        let start = position
        _ = take("-")
        if !take("0") {
            guard skipDigits() else { throw refusal("not JSON") }
        }
        if take(".") {
            guard skipDigits() else { throw refusal("a number that does not end") }
        }
        if take("e") || take("E") {
            if !take("+") { _ = take("-") }
            guard skipDigits() else { throw refusal("a number that does not end") }
        }
        return String(decoding: bytes[start..<position], as: UTF8.self)
    }

    /// Returns false if there is no digit.
    private mutating func skipDigits() -> Bool {
        let start = position
        while let byte = next, byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") { position += 1 }
        return position > start
    }

    private mutating func readString() throws(JSONValue.Refusal) -> String {
        position += 1
        // Most strings have no escape and are copied as a whole.
        var start = position
        skipPlain()
        if take("\"") { return String(decoding: bytes[start..<(position - 1)], as: UTF8.self) }
        var text = Array(bytes[start..<position])
        while let byte = next {
            position += 1
            switch byte {
            case UInt8(ascii: "\""): return String(decoding: text, as: UTF8.self)
            case UInt8(ascii: "\\"): text.append(contentsOf: String(try readEscape()).utf8)
            default: throw refusal("a control character in a string")
            }
            start = position
            skipPlain()
            text.append(contentsOf: bytes[start..<position])
        }
        throw refusal("a string that does not end")
    }

    /// Skips to a quote, a backslash or a control character.
    private mutating func skipPlain() {
        var index = position
        while index < bytes.count, bytes[index] >= 0x20, bytes[index] != UInt8(ascii: "\""),
            bytes[index] != UInt8(ascii: "\\")
        {
            index += 1
        }
        position = index
    }

    private mutating func readEscape() throws(JSONValue.Refusal) -> Unicode.Scalar {
        guard let byte = next else { throw refusal("a string that does not end") }
        position += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{c}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"): return try readUnicodeEscape()
        default: throw refusal("an unknown escape in a string")
        }
    }

    private mutating func readUnicodeEscape() throws(JSONValue.Refusal) -> Unicode.Scalar {
        let first = try readFourHexDigits()
        if let scalar = Unicode.Scalar(first) { return scalar }
        guard first < 0xdc00, take("\\"), take("u") else { throw refusal("an unpaired surrogate") }
        let second = try readFourHexDigits()
        guard (0xdc00...0xdfff).contains(second),
            let scalar = Unicode.Scalar(0x10000 + (first - 0xd800) << 10 + (second - 0xdc00))
        else { throw refusal("an unpaired surrogate") }
        return scalar
    }

    private mutating func readFourHexDigits() throws(JSONValue.Refusal) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<4 {
            guard let byte = next, let digit = byte.hexDigitValue else {
                throw refusal("an unknown escape in a string")
            }
            value = value << 4 | UInt32(digit)
            position += 1
        }
        return value
    }
}

extension UInt8 {
    /// The value of an ASCII hexadecimal digit of either case; nil for any other byte.
    var hexDigitValue: UInt8? {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): self - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
