/// Any JSON value, to look at answers without the types that a reader would use. Reads megabytes in no time, which a
/// `Decodable` for any value does not.
enum JSON: Equatable {
    case null
    case bool(Bool)
    case number(Double)
    case string(String)
    case array([JSON])
    case object([String: JSON])

    struct Malformed: Error { var position: Int }

    init(_ bytes: [UInt8]) throws {
        var reader = Reader(bytes: bytes)
        self = try reader.value()
        reader.space()
        guard reader.position == bytes.count else { throw Malformed(position: reader.position) }
    }

    subscript(_ key: String) -> JSON {
        if case .object(let members) = self { return members[key] ?? .null }
        return .null
    }

    var rows: [JSON] { if case .array(let rows) = self { rows } else { [] } }
    var int: Int? { if case .number(let value) = self { Int(exactly: value) } else { nil } }
    var double: Double? { if case .number(let value) = self { value } else { nil } }
    var string: String? { if case .string(let value) = self { value } else { nil } }
    var bool: Bool? { if case .bool(let value) = self { value } else { nil } }
    var keys: [String] { if case .object(let members) = self { members.keys.sorted() } else { [] } }

    var kind: String {
        switch self {
        case .null: "null"
        case .bool: "bool"
        case .number: "number"
        case .string: "string"
        case .array: "array"
        case .object: "object"
        }
    }

    private struct Reader {
        let bytes: [UInt8]
        var position = 0

        private var next: UInt8 { position < bytes.count ? bytes[position] : 0 }

        mutating func space() {
            while next == 0x20 || next == 0x0a || next == 0x0d || next == 0x09 { position += 1 }
        }

        mutating func value() throws -> JSON {
            space()
            switch next {
            case UInt8(ascii: "{"): return try object()
            case UInt8(ascii: "["): return try array()
            case UInt8(ascii: "\""): return .string(try string())
            case UInt8(ascii: "t"): return try word("true", .bool(true))
            case UInt8(ascii: "f"): return try word("false", .bool(false))
            case UInt8(ascii: "n"): return try word("null", .null)
            default: return try number()
            }
        }

        private mutating func object() throws -> JSON {
            var members: [String: JSON] = [:]
            try list(until: UInt8(ascii: "}")) { reader in
                reader.space()
                let key = try reader.string()
                reader.space()
                try reader.take(UInt8(ascii: ":"))
                guard members.updateValue(try reader.value(), forKey: key) == nil else {
                    throw Malformed(position: reader.position)
                }
            }
            return .object(members)
        }

        private mutating func array() throws -> JSON {
            var elements: [JSON] = []
            try list(until: UInt8(ascii: "]")) { elements.append(try $0.value()) }
            return .array(elements)
        }

        private mutating func list(until end: UInt8, _ element: (inout Reader) throws -> Void) throws {
            position += 1
            space()
            if next == end {
                position += 1
                return
            }
            while true {
                try element(&self)
                space()
                if next == end { break }
                try take(UInt8(ascii: ","))
            }
            position += 1
        }

        private mutating func string() throws -> String {
            try take(UInt8(ascii: "\""))
            var text: [UInt8] = []
            while next != UInt8(ascii: "\"") {
                guard position < bytes.count else { throw Malformed(position: position) }
                if next == UInt8(ascii: "\\") {
                    position += 1
                    // No answer of a tape needs more than these.
                    guard [UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/")].contains(next) else {
                        throw Malformed(position: position)
                    }
                }
                text.append(next)
                position += 1
            }
            position += 1
            return String(decoding: text, as: UTF8.self)
        }

        private mutating func number() throws -> JSON {
            let start = position
            while next == UInt8(ascii: "-") || next == UInt8(ascii: ".") || (0x30...0x39).contains(next) {
                position += 1
            }
            guard let value = Double(String(decoding: bytes[start..<position], as: UTF8.self)) else {
                throw Malformed(position: start)
            }
            return .number(value)
        }

        private mutating func word(_ word: String, _ value: JSON) throws -> JSON {
            for byte in word.utf8 { try take(byte) }
            return value
        }

        private mutating func take(_ byte: UInt8) throws {
            guard next == byte else { throw Malformed(position: position) }
            position += 1
        }
    }
}
