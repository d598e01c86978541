/// A value of a JSON text while the text is being read: a place in an index, good only inside `JSONValue.read`.
struct JSONValue {
    private let bytes: UnsafeBufferPointer<UInt8>
    private let entries: UnsafeBufferPointer<JSONEntry>
    private let place: Int

    /// Parses a text.
    /// - Parameters:
    ///   - range: the part of `bytes` that is the text.
    ///   - notedDepth: the depth of containers below which values are checked but cannot be reached.
    ///   - body: receives the outermost value, which it must not keep.
    static func read<Result>(
        _ bytes: [UInt8], _ range: Range<Int>, notedDepth: Int = JSONScanner.depthMax, body: (JSONValue) -> Result
    ) throws(JSONMalformed) -> Result {
        try bytes.withUnsafeBufferPointer { (bytes) throws(JSONMalformed) in
            var scanner = JSONScanner(bytes, range: range, notedDepth: notedDepth)
            try scanner.scan()
            return scanner.entries.withUnsafeBufferPointer { entries in
                body(JSONValue(bytes: bytes, entries: entries, place: 0))
            }
        }
    }

    private init(bytes: UnsafeBufferPointer<UInt8>, entries: UnsafeBufferPointer<JSONEntry>, place: Int) {
        self.bytes = bytes
        self.entries = entries
        self.place = place
    }

    private var entry: JSONEntry { entries[place] }

    var isNull: Bool { entry.kind == .null }
    var isArray: Bool { entry.kind == .array }
    var isObject: Bool { entry.kind == .object }

    /// The place of the value in the text; for a string without its quotes.
    var range: Range<Int> { Int(entry.start)..<Int(entry.end) }

    /// The bytes of the value; for a string without its quotes.
    var text: UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(rebasing: bytes[range]) }

    /// The bytes of a string without escapes; nil for anything else.
    var plainText: UnsafeBufferPointer<UInt8>? { entry.kind == .string && entry.isPlain ? text : nil }

    /// Whether both values have the same bytes. Both must belong to the same text.
    func hasSameBytes(as other: JSONValue) -> Bool {
        let count = range.count
        guard count == other.range.count, let start = bytes.baseAddress else { return false }
        let mine = UnsafeRawPointer(start + range.lowerBound)
        let theirs = UnsafeRawPointer(start + other.range.lowerBound)
        var place = 0
        while place + 8 <= count {
            guard
                mine.loadUnaligned(fromByteOffset: place, as: UInt64.self)
                    == theirs.loadUnaligned(fromByteOffset: place, as: UInt64.self)
            else { return false }
            place += 8
        }
        while place < count {
            guard mine.load(fromByteOffset: place, as: UInt8.self) == theirs.load(fromByteOffset: place, as: UInt8.self)
            else { return false }
            place += 1
        }
        return true
    }

    // MARK: - Containers

    /// The elements of an array; none for anything else.
    func elements() -> Places {
        guard isArray else { return Places(self, from: 0, to: 0) }
        return Places(self, from: place + 1, to: Int(entry.next))
    }

    /// The keys of an object, in order; each value follows its key.
    func keys() -> Places {
        guard isObject else { return Places(self, from: 0, to: 0) }
        return Places(self, from: place + 1, to: Int(entry.next), hasKeys: true)
    }

    /// The value that follows this key.
    var behindKey: JSONValue { JSONValue(bytes: bytes, entries: entries, place: place + 1) }

    /// The member of this name; the first of several. Nil in anything but an object.
    subscript(_ key: JSONKey) -> JSONValue? {
        guard entry.kind == .object else { return nil }
        var next = place + 1
        let end = Int(entry.next)
        while next < end {
            if hasText(entries[next], key) { return JSONValue(bytes: bytes, entries: entries, place: next + 1) }
            next = Int(entries[next + 1].next)
        }
        return nil
    }

    private func hasText(_ entry: JSONEntry, _ key: JSONKey) -> Bool {
        let count = key.count
        let start = Int(entry.start)
        guard entry.isPlain else {
            return JSONString.says(key, UnsafeBufferPointer(rebasing: bytes[start..<Int(entry.end)]))
        }
        guard Int(entry.end) - start == count else { return false }
        for offset in 0..<count where bytes[start + offset] != key.name.utf8Start[offset] { return false }
        return true
    }

    /// A sequence of sibling values.
    struct Places: Sequence, IteratorProtocol {
        private let container: JSONValue
        private var cursor: Int
        private let end: Int
        private let hasKeys: Bool

        fileprivate init(_ container: JSONValue, from start: Int, to end: Int, hasKeys: Bool = false) {
            self.container = container
            cursor = start
            self.end = end
            self.hasKeys = hasKeys
        }

        mutating func next() -> JSONValue? {
            guard cursor < end else { return nil }
            let value = JSONValue(bytes: container.bytes, entries: container.entries, place: cursor)
            cursor = Int(container.entries[hasKeys ? cursor + 1 : cursor].next)
            return value
        }
    }

    // MARK: - Scalars

    var bool: Bool? {
        switch entry.kind {
        case .yes: true
        case .no: false
        default: nil
        }
    }

    /// The text of a string; nil for anything else, and for bytes that are no text: bad UTF-8, a lone surrogate, a
    /// control character.
    var string: String? {
        guard entry.kind == .string else { return nil }
        return entry.isPlain ? String(validating: text, as: UTF8.self) : JSONString.unescaped(text)
    }

    /// A whole number that fits, also when written as `1e2` or `7.0`; otherwise nil.
    var int64: Int64? { entry.kind == .number ? JSONNumber(text)?.int64 : nil }

    /// A finite number; otherwise nil.
    var double: Double? { entry.kind == .number ? JSONNumber(text)?.double : nil }
}
