import TestSupport

/// Damages a frame of the provider in the ways that frames are damaged, and in some that no frame ever was.
struct FrameMutator {
    private let map: JSONMap
    private var random: SeededGenerator
    /// Replacements that do not overlap, in no order.
    private var edits: [(range: Range<Int>, bytes: [UInt8])] = []

    init(_ map: JSONMap, seed: UInt64) {
        self.map = map
        random = SeededGenerator(seed: seed)
    }

    /// The damaged frame.
    static func mutate(_ map: JSONMap, seed: UInt64) -> [UInt8] {
        var mutator = FrameMutator(map, seed: seed)
        return mutator.mutated()
    }

    private mutating func mutated() -> [UInt8] {
        if random.once(in: 5) { return damagedBytes() }
        for _ in 0..<random.pick([1, 1, 1, 2, 3, 8]) { editOnce() }
        var result = applied()
        if random.once(in: 20) { result = Array(result.prefix(Int.random(in: 0...result.count, using: &random))) }
        return result
    }

    // MARK: - Structure

    private mutating func editOnce() {
        switch Int.random(in: 0..<12, using: &random) {
        case 0...3:
            replace(place())
        case 4:
            // The provider has changed its mind about a whole column.
            guard let all = map.byKey[random.pick(map.keys)] else { return }
            let literal = literal()
            for index in all { add(map.values[index].range, literal) }
        case 5:
            guard let all = map.byKey[random.pick(map.keys)] else { return }
            let name = Array("\"\(random.pick(Self.names))\"".utf8)
            for index in all { if let key = map.values[index].key { add(key, name) } }
        case 6: remove(place())
        case 7: repeatMember(place())
        case 8: rename(place())
        case 9: shuffle()
        case 10: wrap(place())
        default: changeID()
        }
    }

    private mutating func replace(_ index: Int) { add(map.values[index].range, literal()) }

    private mutating func remove(_ index: Int) {
        guard let range = withComma(index) else { return }
        add(range, [])
    }

    private mutating func repeatMember(_ index: Int) {
        let value = map.values[index]
        guard value.parent != nil else { return }
        let copy = Array(map.bytes[value.member])
        let times = value.member.count > 20_000 ? 1 : random.pick([1, 1, 2, 30])
        add(value.member.upperBound..<value.member.upperBound, (0..<times).flatMap { _ in [UInt8(ascii: ",")] + copy })
    }

    private mutating func rename(_ index: Int) {
        guard let key = map.values[index].key else { return }
        add(key, Array("\"\(random.pick(Self.names))\"".utf8))
    }

    /// Rows in another order.
    private mutating func shuffle() {
        let arrays = map.children.keys.filter { map.values[$0].kind == .array && (map.children[$0]?.count ?? 0) > 1 }
        guard !arrays.isEmpty, let rows = map.children[random.pick(arrays.sorted())] else { return }
        let mixed = rows.shuffled(using: &random)
        for (row, other) in zip(rows, mixed) where row != other {
            add(map.values[row].range, Array(map.bytes[map.values[other].range]))
        }
    }

    /// An array as an object with numbers for keys, an object as an array, a value inside one.
    private mutating func wrap(_ index: Int) {
        let value = map.values[index]
        let rows = map.children[index] ?? []
        switch value.kind {
        case .array:
            let members = rows.enumerated().map { "\"\($0.offset)\":".utf8 + map.bytes[map.values[$0.element].range] }
            add(value.range, Array("{".utf8) + members.joined(separator: [UInt8(ascii: ",")]) + Array("}".utf8))
        case .object where random.once(in: 2):
            let members = rows.map { map.bytes[map.values[$0].range] }
            add(value.range, Array("[".utf8) + members.joined(separator: [UInt8(ascii: ",")]) + Array("]".utf8))
        default:
            let (open, close) = random.pick([("[", "]"), ("{\"data\":", "}"), ("\"", "\"")])
            add(value.range, Array(open.utf8) + map.bytes[value.range] + Array(close.utf8))
        }
    }

    /// One of the numbers that tie rows together is another row's, or nobody's.
    private mutating func changeID() {
        let ids = map.keys.filter { $0.suffix(3) == Array("id\"".utf8)[...] }
        guard !ids.isEmpty, let all = map.byKey[random.pick(ids)] else { return }
        let other = map.values[random.pick(all)].range
        add(map.values[random.pick(all)].range, random.once(in: 2) ? Array(map.bytes[other]) : literal())
    }

    /// A value, each level of the text as likely as the rows.
    private mutating func place() -> Int {
        if random.once(in: 3), let all = map.byKey[random.pick(map.keys)] { return random.pick(all) }
        return Int.random(in: 0..<map.values.count, using: &random)
    }

    /// A member and one of the commas beside it; nil for the text as a whole.
    private func withComma(_ index: Int) -> Range<Int>? {
        let value = map.values[index]
        guard let parent = value.parent, let siblings = map.children[parent],
            let place = siblings.firstIndex(of: index)
        else { return nil }
        if place + 1 < siblings.count {
            return value.member.lowerBound..<map.values[siblings[place + 1]].member.lowerBound
        }
        guard place > 0 else { return value.member }
        return map.values[siblings[place - 1]].member.upperBound..<value.member.upperBound
    }

    private mutating func add(_ range: Range<Int>, _ bytes: [UInt8]) {
        edits.append((range, bytes))
    }

    private mutating func applied() -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(map.bytes.count + 1_024)
        var done = 0
        for edit in edits.sorted(by: {
            ($0.range.lowerBound, $0.range.upperBound) < ($1.range.lowerBound, $1.range.upperBound)
        })
        where edit.range.lowerBound >= done {
            result += map.bytes[done..<edit.range.lowerBound]
            result += edit.bytes
            done = edit.range.upperBound
        }
        return result + map.bytes[done...]
    }

    // MARK: - Bytes

    private mutating func damagedBytes() -> [UInt8] {
        var bytes = map.bytes
        switch Int.random(in: 0..<6, using: &random) {
        case 0, 1:
            for _ in 0..<random.pick([1, 2, 5, 50]) {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            }
        case 2:
            bytes.removeSubrange(slice(of: bytes))
        case 3:
            let part = Array(bytes[slice(of: bytes)])
            bytes.insert(contentsOf: part, at: Int.random(in: 0...bytes.count, using: &random))
        case 4:
            bytes = Array(bytes.prefix(Int.random(in: 0..<bytes.count, using: &random)))
        default:
            let noise = (0..<Int.random(in: 1...40, using: &random)).map { _ in
                UInt8.random(in: 0...255, using: &random)
            }
            bytes.replaceSubrange(slice(of: bytes), with: noise)
        }
        return bytes
    }

    private mutating func slice(of bytes: [UInt8]) -> Range<Int> {
        let start = Int.random(in: 0..<bytes.count, using: &random)
        return start..<min(start + Int.random(in: 1...200, using: &random), bytes.count)
    }

    // MARK: - Words

    private mutating func literal() -> [UInt8] {
        switch Int.random(in: 0..<8, using: &random) {
        case 0: Array("null".utf8)
        case 1: Array(random.pick(Self.numbers).utf8)
        case 2: Array("\"\(random.pick(Self.numbers))\"".utf8)
        case 3: Array("\"\(random.pick(Self.texts))\"".utf8)
        case 4: Array(map.bytes[map.values[Int.random(in: 0..<map.values.count, using: &random)].range].prefix(20_000))
        case 5: Array(random.pick(["[]", "{}", "true", "false", "[null]", "{\"data\":null}", "{\"data\":[]}"]).utf8)
        case 6: Array(random.pick(Self.statuses).utf8)
        default: nested()
        }
    }

    private mutating func nested() -> [UInt8] {
        let depth = random.pick([3, 60, 600, 20_000])
        let (open, close) = random.pick([("[", "]"), ("{\"a\":", "}")])
        return Array(String(repeating: open, count: depth).utf8) + Array("1".utf8)
            + Array(String(repeating: close, count: depth).utf8)
    }

    private static let numbers = [
        "0", "-1", "1", "7", "120", "48866", "99999", "9999.5", "20.7", "0.6", "-0.0", "1e3", "1e308", "1e999",
        "-1e999", "1E-400", "2147483648",
        "-2147483649", "4294967296", "9007199254740993", "9223372036854775807", "9223372036854775808",
        "-9223372036854775808", "-9223372036854775809", "18446744073709551616",
        "123456789012345678901234567890123456789012345678901234567890", "0.1234567890123456789", "1.6", "19.9", "007",
        "+5", ".5", "5.", "0x10", "NaN", "Infinity",
    ]

    private static let texts = [
        "", " ", "null", "🏏🏏🏏", "👨‍👩‍👧‍👦 out", "e\u{301}\u{301}\u{301}", "\u{202E}drawkcab", "\u{200B}", "\\u0000",
        "\\u0007\\u001b[31m",
        "\\ud800", "\\udc00\\ud800", "\\ud83c\\udfcf", "\u{FFFF}", "S1", "S99", "S-1", "s2", "SCatch Out",
        "Clean Bowled",
        "2026-13-45T99:99:99.000000Z", "9999-12-31T23:59:59.000000Z", "0000-00-00", "1970-01-01T00:00:00.000000Z",
        String(repeating: "Name ", count: 2_000), "\\n\\n\\n", "<b>&amp;</b>", "'; DROP TABLE fixtures; --",
    ]

    private static let statuses = [
        "\"Finished\"", "\"Int.\"", "\"Aban.\"", "\"Innings Break\"", "\"5th Innings\"", "\"99th Innings\"",
        "\"Drinks Break\"",
        "\"\"", "\"NS\"", "\"Stump Day 4\"", "\"Lunch\"", "\"Postp.\"", "\"Cancl.\"", "\"Rain Delay\"",
        "\"2nd innings\"",
    ]

    private static let names = [
        "", "id", "data", "resource", "score", "runs", "balls", "batting", "bowling", "scoreboard", "scoreboards",
        "status",
        "localteam", "visitorteam", "localteam_id", "ball", "batsman_id", "bowler_id", "updated_at", "wickets", "overs",
        "is_wicket", "batsmanout_id", "unheard_of", "🏏",
    ]
}
