/// Finds where JSON values begin and end without reading them, so that a recorded body keeps its bytes.
public struct JSONSpan {
    /// The deepest nesting, more than any answer has; it bounds the recursion.
    private static let depthMax = 64

    private let bytes: UnsafeBufferPointer<UInt8>
    private var position: Int

    /// Whether the bytes are one JSON object or array and nothing else.
    public static func isContainer(_ bytes: [UInt8]) -> Bool {
        bytes.withUnsafeBufferPointer { buffer in
            var span = JSONSpan(buffer)
            span.space()
            guard span.next == UInt8(ascii: "{") || span.next == UInt8(ascii: "[") else { return false }
            guard span.value(depth: 0) else { return false }
            span.space()
            return span.position == buffer.count
        }
    }

    /// The members of a JSON object with the places of their values; nil when the bytes are no object, or have a key
    /// twice. Keys are compared as they are written.
    public static func members(_ bytes: [UInt8]) -> [String: Range<Int>]? {
        bytes.withUnsafeBufferPointer { buffer in
            var span = JSONSpan(buffer)
            var members: [String: Range<Int>] = [:]
            span.space()
            let isObject = span.object { span in
                let key = span.position
                guard span.string() else { return false }
                let name = String(decoding: buffer[(key + 1)..<(span.position - 1)], as: UTF8.self)
                guard span.colon() else { return false }
                let start = span.position
                guard span.value(depth: 1) else { return false }
                return members.updateValue(start..<span.position, forKey: name) == nil
            }
            guard isObject else { return nil }
            span.space()
            return span.position == buffer.count ? members : nil
        }
    }

    /// The places of the elements of a JSON array; nil when the bytes are no array.
    public static func elements(_ bytes: [UInt8]) -> [Range<Int>]? {
        bytes.withUnsafeBufferPointer { buffer in
            var span = JSONSpan(buffer)
            var elements: [Range<Int>] = []
            span.space()
            let isArray = span.list(UInt8(ascii: "["), UInt8(ascii: "]")) { span in
                let start = span.position
                guard span.value(depth: 1) else { return false }
                elements.append(start..<span.position)
                return true
            }
            guard isArray else { return nil }
            span.space()
            return span.position == buffer.count ? elements : nil
        }
    }

    private init(_ bytes: UnsafeBufferPointer<UInt8>) {
        self.bytes = bytes
        position = 0
    }

    private var next: UInt8 { position < bytes.count ? bytes[position] : 0 }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard next == byte, position < bytes.count else { return false }
        position += 1
        return true
    }

    private mutating func space() {
        while next == 0x20 || next == 0x0a || next == 0x0d || next == 0x09 { position += 1 }
    }

    private mutating func colon() -> Bool {
        space()
        guard take(UInt8(ascii: ":")) else { return false }
        space()
        return true
    }

    private mutating func value(depth: Int) -> Bool {
        guard depth < Self.depthMax else { return false }
        switch next {
        case UInt8(ascii: "{"):
            return object { $0.string() && $0.colon() && $0.value(depth: depth + 1) }
        case UInt8(ascii: "["):
            return list(UInt8(ascii: "["), UInt8(ascii: "]")) { $0.value(depth: depth + 1) }
        case UInt8(ascii: "\""): return string()
        case UInt8(ascii: "t"): return word("true")
        case UInt8(ascii: "f"): return word("false")
        case UInt8(ascii: "n"): return word("null")
        default: return number()
        }
    }

    private mutating func object(_ member: (inout JSONSpan) -> Bool) -> Bool {
        list(UInt8(ascii: "{"), UInt8(ascii: "}"), member)
    }

    private mutating func list(_ open: UInt8, _ close: UInt8, _ element: (inout JSONSpan) -> Bool) -> Bool {
        guard take(open) else { return false }
        space()
        if take(close) { return true }
        while true {
            space()
            guard element(&self) else { return false }
            space()
            if take(close) { return true }
            guard take(UInt8(ascii: ",")) else { return false }
        }
    }

    private mutating func string() -> Bool {
        guard take(UInt8(ascii: "\"")) else { return false }
        while position < bytes.count {
            switch bytes[position] {
            case UInt8(ascii: "\""):
                position += 1
                return true
            case UInt8(ascii: "\\"): position += 2
            case 0..<0x20: return false
            default: position += 1
            }
        }
        return false
    }

    private mutating func word(_ word: StaticString) -> Bool {
        word.withUTF8Buffer { letters in letters.allSatisfy { take($0) } }
    }

    /// Skips a number, whose form is checked when it is read.
    private mutating func number() -> Bool {
        let start = position
        while (0x30...0x39).contains(next) || [0x2b, 0x2d, 0x2e, 0x45, 0x65].contains(next) { position += 1 }
        return position > start
    }
}
