/// Members as the provider means them: a number may come as a string, a flag as 0 or 1, and null, a missing key and
/// nonsense are all nil.
extension JSONValue {
    /// The most rows read from a list: a Test has under 3,000 balls, and more rows belong to no match.
    static let rowsMax = 20_000
    /// The longest name or note; a longer text is not read.
    static let textBytesMax = 10_000

    func int64(_ key: JSONKey) -> Int64? {
        guard let value = self[key] else { return nil }
        return value.int64 ?? value.roundedNumber
    }
    /// An id; nil for 0, which means none, and beyond what a frame may hold.
    func id(_ key: JSONKey) -> Int64? {
        guard let value = int64(key), (1...Int64(SlimFixture.figureMax)).contains(value) else { return nil }
        return value
    }

    /// A figure of a scorecard, from 0 to 99,999; nil outside that range. Sums of such figures cannot overflow.
    func count(_ key: JSONKey) -> Int? {
        guard let value = int64(key), (0...99_999).contains(value) else { return nil }
        return Int(value)
    }

    /// A number; nil beyond what a frame may hold.
    func double(_ key: JSONKey) -> Double? {
        guard let value = self[key]?.number, abs(value) <= Double(SlimFixture.figureMax) else { return nil }
        return value
    }

    /// Text without white space around it; nil when nothing is left.
    func text(_ key: JSONKey) -> String? { self[key]?.shownText }

    func flag(_ key: JSONKey) -> Bool? {
        guard let value = self[key] else { return nil }
        if let flag = value.bool { return flag }
        if let number = value.int64 ?? value.roundedNumber { return number != 0 }
        switch value.shownText?.lowercased() {
        case "true": return true
        case "false": return false
        default: return nil
        }
    }

    /// "n.m" in tenths: 18.4 is 184. A JSON number has a binary fraction, so it is rounded, not cut.
    func tenths(_ key: JSONKey) -> Int? {
        guard let value = double(key), (0..<10_000).contains(value) else { return nil }
        return Int((value * 10).rounded())
    }

    /// A time in seconds since 1970.
    func time(_ key: JSONKey) -> Int? {
        guard let value = self[key] else { return nil }
        if let bytes = value.plainText, let first = bytes.first, first > 0x20, first < 0x80 {
            return ProviderTime.seconds(bytes)
        }
        return value.shownText.flatMap { ProviderTime.seconds($0) }
    }

    /// The number of an innings: 1 for "S1".
    func innings(_ key: JSONKey) -> Int? {
        guard var text = text(key) else { return nil }
        if text.first == "S" || text.first == "s" { text.removeFirst() }
        guard let number = Int(text), (1...99).contains(number) else { return nil }
        return number
    }

    /// An included object, bare or wrapped as `{"data": …}`.
    func included<Row: ProviderRow>(_ key: JSONKey, as type: Row.Type = Row.self) -> Row? {
        guard let value = self[key], value.isObject else { return nil }
        if let row = try? Row(value) { return row }
        guard let wrapped = value["data"], wrapped.isObject else { return nil }
        return try? Row(wrapped)
    }

    /// The rows of an included list, bare, wrapped as `{"data": […]}`, or written as an object with positions as keys
    /// (as PHP does with an array that has holes). At most `rowsMax`.
    func rows(_ key: JSONKey) -> [JSONValue] {
        var list = self[key]
        while let wrapper = list, wrapper.isObject, let wrapped = wrapper["data"] { list = wrapped }
        guard let list else { return [] }
        return list.isObject ? list.rowsByPosition : Array(list.elements().prefix(Self.rowsMax))
    }

    /// The id at `key`.
    ///
    /// - Throws: `RowProblem`, which names the key, when there is none.
    func required(_ key: JSONKey) throws(RowProblem) -> Int64 {
        guard let value = id(key) else { throw RowProblem("no \(key)") }
        return value
    }

    private var number: Double? {
        if let value = double { return value }
        guard let text = shownText, text.utf8.count <= JSONNumber.bytesMax, let value = Double(text) else { return nil }
        return value.isFinite ? value : nil
    }

    /// A number that is not whole, or is written as a string, rounded.
    private var roundedNumber: Int64? {
        guard let number, abs(number) < 9e15 else { return nil }
        return Int64(exactly: number.rounded())
    }

    private var shownText: String? {
        guard range.count <= Self.textBytesMax else { return nil }
        guard let string else { return int64.map { String($0) } }
        let text = Self.trimmed(string)
        return text.isEmpty ? nil : text
    }

    private var rowsByPosition: [JSONValue] {
        var seen: Set<String> = []
        var rows: [(position: Int, row: JSONValue)] = []
        for key in keys() {
            guard rows.count < Self.rowsMax else { break }
            guard let name = key.string, let position = Int(name), seen.insert(name).inserted else { continue }
            rows.append((position, key.behindKey))
        }
        return rows.sorted { $0.position < $1.position }.map(\.row)
    }

    private static func trimmed(_ text: String) -> String {
        // Most texts begin and end with a printing character of ASCII.
        if let first = text.utf8.first, let last = text.utf8.last, (0x21...0x7E).contains(first),
            (0x21...0x7E).contains(last)
        {
            return text
        }
        func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
        // The blanks are skipped as bytes: a text of millions of blanks must not be read character by character.
        let tail = text.utf8.drop(while: isSpace)
        guard let end = tail.lastIndex(where: { !isSpace($0) }) else { return "" }
        let rest = Substring(tail[...end]).drop { $0.isWhitespace }
        guard let last = rest.lastIndex(where: { !$0.isWhitespace }) else { return "" }
        return String(rest[...last])
    }
}
