/// Where the values of a well-formed JSON text are: what a mutation cuts, copies and replaces, without building a tree.
struct JSONMap: Sendable {
    enum Kind: Sendable { case object, array, string, number, literal }

    struct Value: Sendable {
        var kind: Kind
        /// Its bytes.
        var range: Range<Int>
        /// The key in front of it, quotes included; nil for the element of an array and for the text as a whole.
        var key: Range<Int>?
        /// Position of the object or array that it is in; nil for the text as a whole.
        var parent: Int?

        /// With its key, if it has one.
        var member: Range<Int> { (key?.lowerBound ?? range.lowerBound)..<range.upperBound }
    }

    let bytes: [UInt8]
    private(set) var values: [Value] = []
    /// Positions of the values of each object and array.
    private(set) var children: [Int: [Int]] = [:]
    /// Positions of values by their key's bytes.
    private(set) var byKey: [[UInt8]: [Int]] = [:]
    /// Keys in order of their first appearance.
    private(set) var keys: [[UInt8]] = []

    /// - Parameter bytes: well-formed JSON; anything else gives a map of what could be made out.
    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        var open: [Int] = []
        var place = 0
        var key: Range<Int>?
        while place < bytes.count {
            switch bytes[place] {
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                let kind: Kind = bytes[place] == UInt8(ascii: "{") ? .object : .array
                open.append(add(kind, place..<place + 1, key: key, parent: open.last))
                key = nil
                place += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                place += 1
                if let top = open.popLast() { values[top].range = values[top].range.lowerBound..<place }
            case UInt8(ascii: "\""):
                let end = Self.endOfString(bytes, from: place)
                if end < bytes.count, bytes[end] == UInt8(ascii: ":") {
                    key = place..<end
                    place = end + 1
                } else {
                    add(.string, place..<end, key: key, parent: open.last)
                    key = nil
                    place = end
                }
            case UInt8(ascii: ","), UInt8(ascii: ":"), 0x20, 0x09, 0x0A, 0x0D:
                place += 1
            case let first:
                let end = bytes[place...].firstIndex { [0x2C, 0x5D, 0x7D, 0x20, 0x0A, 0x0D, 0x09].contains($0) }
                let isNumber = first == UInt8(ascii: "-") || (0x30...0x39).contains(first)
                add(isNumber ? .number : .literal, place..<(end ?? bytes.count), key: key, parent: open.last)
                key = nil
                place = end ?? bytes.count
            }
        }
    }

    @discardableResult
    private mutating func add(_ kind: Kind, _ range: Range<Int>, key: Range<Int>?, parent: Int?) -> Int {
        let index = values.count
        values.append(Value(kind: kind, range: range, key: key, parent: parent))
        if let parent { children[parent, default: []].append(index) }
        if let key {
            let name = Array(bytes[key])
            if byKey[name] == nil { keys.append(name) }
            byKey[name, default: []].append(index)
        }
        return index
    }

    /// After the closing quote.
    private static func endOfString(_ bytes: [UInt8], from start: Int) -> Int {
        var place = start + 1
        while place < bytes.count {
            if bytes[place] == UInt8(ascii: "\\") {
                place += 2
            } else if bytes[place] == UInt8(ascii: "\"") {
                return place + 1
            } else {
                place += 1
            }
        }
        return bytes.count
    }
}
