/// Walks over a JSON text once and notes the place of every value.
///
/// The scanner looks at structure alone. The content of a string or a number is checked when it is read, so that a lone
/// surrogate or a number of a thousand digits spoils itself and not the answer around it. Recursion ends at `depthMax`,
/// and every byte is looked at once.
struct JSONScanner {
    /// The deepest nesting of containers. The provider's answers have seven levels.
    static let depthMax = 512

    private let bytes: UnsafeBufferPointer<UInt8>
    /// Values deeper than this are checked, but not noted.
    private let notedDepth: Int
    private(set) var entries: [JSONEntry] = []
    private var place: Int
    private let end: Int

    /// - Parameter notedDepth: the depth down to which values are noted; 0 for the outermost value alone.
    init(_ bytes: UnsafeBufferPointer<UInt8>, range: Range<Int>, notedDepth: Int) {
        precondition(range.lowerBound >= 0 && range.upperBound <= bytes.count, "the range lies in the text")
        self.bytes = bytes
        self.notedDepth = notedDepth
        place = range.lowerBound
        end = range.upperBound
    }

    /// Notes the whole text, which is one value with only white space around it.
    mutating func scan() throws(JSONMalformed) {
        guard end <= Int(UInt32.max) else { throw JSONMalformed() }
        // The provider's answers need about one entry for 16 bytes.
        entries.reserveCapacity(notedDepth > 2 ? (end - place) / 16 + 16 : 64)
        try value(depth: 0)
        while place < end {
            guard Self.isSpace(bytes[place]) else { throw JSONMalformed() }
            place += 1
        }
    }

    private mutating func value(depth: Int) throws(JSONMalformed) {
        switch try nextByte() {
        case UInt8(ascii: "\""): try string(depth: depth)
        case UInt8(ascii: "{"): try container(.object, depth: depth)
        case UInt8(ascii: "["): try container(.array, depth: depth)
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): number(depth: depth)
        case UInt8(ascii: "t"): try literal("true", .yes, depth: depth)
        case UInt8(ascii: "f"): try literal("false", .no, depth: depth)
        case UInt8(ascii: "n"): try literal("null", .null, depth: depth)
        default: throw JSONMalformed()
        }
    }

    private mutating func container(_ kind: JSONEntry.Kind, depth: Int) throws(JSONMalformed) {
        guard depth < Self.depthMax else { throw JSONMalformed() }
        let own = entries.count
        let start = place
        let isNoted = depth <= notedDepth
        if isNoted { note(kind, from: start, to: start, depth: depth) }
        place += 1
        let close = kind == .object ? UInt8(ascii: "}") : UInt8(ascii: "]")
        // A comma before the closing bracket is accepted, as in Foundation's decoder.
        while try nextByte() != close {
            if kind == .object {
                guard bytes[place] == UInt8(ascii: "\"") else { throw JSONMalformed() }
                try string(depth: depth + 1)
                guard try nextByte() == UInt8(ascii: ":") else { throw JSONMalformed() }
                place += 1
            }
            try value(depth: depth + 1)
            let byte = try nextByte()
            if byte == close { break }
            guard byte == UInt8(ascii: ",") else { throw JSONMalformed() }
            place += 1
        }
        place += 1
        if isNoted {
            entries[own].end = UInt32(truncatingIfNeeded: place)
            entries[own].next = UInt32(truncatingIfNeeded: entries.count)
        }
    }

    private mutating func string(depth: Int) throws(JSONMalformed) {
        place += 1
        let start = place
        skipPlain()
        var isPlain = true
        while place < end, bytes[place] != UInt8(ascii: "\"") {
            isPlain = false
            if bytes[place] == UInt8(ascii: "\\") {
                guard place + 1 < end else { throw JSONMalformed() }
                if bytes[place + 1] == UInt8(ascii: "u") {
                    guard place + 6 <= end, !bytes[place + 2..<place + 6].contains(UInt8(ascii: "\"")) else {
                        throw JSONMalformed()
                    }
                    place += 6
                } else {
                    place += 2
                }
            } else {
                // The byte is a control character.
                place += 1
            }
            skipPlain()
        }
        guard place < end else { throw JSONMalformed() }
        note(.string, from: start, to: place, depth: depth, isPlain: isPlain)
        place += 1
    }

    /// Skips to the next quote, backslash or control character, eight bytes at a time.
    private mutating func skipPlain() {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let high: UInt64 = 0x8080_8080_8080_8080
        let raw = UnsafeRawPointer(bytes.baseAddress)
        while let raw, place + 8 <= end {
            let word = UInt64(littleEndian: raw.loadUnaligned(fromByteOffset: place, as: UInt64.self))
            let quote = word ^ (ones &* 0x22)
            let backslash = word ^ (ones &* 0x5C)
            // The lowest bit that is set is right; bits above it may come from a borrow.
            let hit =
                (((quote &- ones) & ~quote) | ((backslash &- ones) & ~backslash) | ((word &- ones &* 0x20) & ~word))
                & high
            guard hit == 0 else {
                place += hit.trailingZeroBitCount >> 3
                return
            }
            place += 8
        }
        while place < end, bytes[place] >= 0x20, bytes[place] != UInt8(ascii: "\""), bytes[place] != UInt8(ascii: "\\")
        {
            place += 1
        }
    }

    /// Skips all bytes of which numbers are made; reading the number checks them.
    private mutating func number(depth: Int) {
        let start = place
        place += 1
        scan: while place < end {
            switch bytes[place] {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "+"),
                UInt8(ascii: "e"), UInt8(ascii: "E"):
                place += 1
            default: break scan
            }
        }
        note(.number, from: start, to: place, depth: depth)
    }

    private mutating func literal(
        _ word: StaticString, _ kind: JSONEntry.Kind, depth: Int
    ) throws(JSONMalformed) {
        let count = word.utf8CodeUnitCount
        guard place + count <= end else { throw JSONMalformed() }
        for offset in 0..<count where bytes[place + offset] != word.utf8Start[offset] { throw JSONMalformed() }
        note(kind, from: place, to: place + count, depth: depth)
        place += count
    }

    private mutating func note(
        _ kind: JSONEntry.Kind, from start: Int, to end: Int, depth: Int, isPlain: Bool = false
    ) {
        guard depth <= notedDepth else { return }
        entries.append(
            JSONEntry(
                start: UInt32(truncatingIfNeeded: start), end: UInt32(truncatingIfNeeded: end),
                next: UInt32(truncatingIfNeeded: entries.count + 1), kind: kind, isPlain: isPlain))
    }

    /// The next byte that is not white space.
    private mutating func nextByte() throws(JSONMalformed) -> UInt8 {
        while place < end {
            let byte = bytes[place]
            if !Self.isSpace(byte) { return byte }
            place += 1
        }
        throw JSONMalformed()
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
    }
}
