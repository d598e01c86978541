import TapeFile

/// Changes the values of some members anywhere in a JSON text, and nothing else.
struct MemberRewriter {
    private(set) var bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Replaces the strings, numbers and words of each member with that name, at any depth.
    ///
    /// - Parameter value: receives a value's text, quotes included, and returns the new one; nil keeps it.
    mutating func replace(_ name: String, _ value: (String) -> String?) {
        // A quote inside a string follows a backslash, so a name between plain quotes is a whole string.
        let key = Array("\"\(name)\"".utf8)
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count + 4_096)
        var copied = 0
        var position = 0
        while position + key.count < bytes.count {
            guard bytes[position] == key[0], bytes[position..<(position + key.count)].elementsEqual(key) else {
                position += 1
                continue
            }
            position += key.count
            guard let start = valueStart(position) else { continue }
            let end = valueEnd(start)
            position = end
            if let text = value(String(decoding: bytes[start..<end], as: UTF8.self)) {
                result += bytes[copied..<start]
                result += Array(text.utf8)
                copied = end
            }
        }
        bytes = result + bytes[copied...]
    }

    /// Replaces the object's own `id`, but not those of embedded objects.
    mutating func replaceOwnID(_ id: String) {
        guard let place = JSONSpan.members(bytes)?["id"] else { return }
        bytes.replaceSubrange(place, with: Array(id.utf8))
    }

    /// The place after the colon; nil when the string was a value and no name.
    private func valueStart(_ end: Int) -> Int? {
        var position = end
        while position < bytes.count, bytes[position] == 0x20 { position += 1 }
        guard position < bytes.count, bytes[position] == UInt8(ascii: ":") else { return nil }
        position += 1
        while position < bytes.count, bytes[position] == 0x20 { position += 1 }
        return position
    }

    private func valueEnd(_ start: Int) -> Int {
        var position = start
        guard position < bytes.count else { return start }
        if bytes[position] == UInt8(ascii: "\"") {
            position += 1
            while position < bytes.count, bytes[position] != UInt8(ascii: "\"") {
                position += bytes[position] == UInt8(ascii: "\\") ? 2 : 1
            }
            return min(position + 1, bytes.count)
        }
        let ends: [UInt8] = [UInt8(ascii: ","), UInt8(ascii: "}"), UInt8(ascii: "]"), 0x20]
        while position < bytes.count, !ends.contains(bytes[position]) { position += 1 }
        return position
    }
}
