/// Reads values as the provider means them: a number may come as a string, a flag as 0 or 1, and null, a missing key
/// and nonsense are all nil.
extension KeyedDecodingContainer where Key == AnyKey {
    func int64(_ key: AnyKey) -> Int64? {
        if let value = try? decodeIfPresent(Int64.self, forKey: key) { return value }
        guard let number = double(key), abs(number) < 9e15 else { return nil }
        return Int64(exactly: number.rounded())
    }

    /// The id of somebody or something; 0 means nobody.
    func id(_ key: AnyKey) -> Int64? {
        guard let value = int64(key), value > 0 else { return nil }
        return value
    }

    /// A figure of a scorecard, from 0 to 99,999: what lies outside is no figure. (Sums of figures cannot overflow.)
    func count(_ key: AnyKey) -> Int? {
        guard let value = int64(key), (0...99_999).contains(value) else { return nil }
        return Int(value)
    }

    func double(_ key: AnyKey) -> Double? {
        if let value = try? decodeIfPresent(Double.self, forKey: key) { return value.isFinite ? value : nil }
        guard let text = try? decodeIfPresent(String.self, forKey: key), let value = Double(trimmed(text)) else {
            return nil
        }
        return value.isFinite ? value : nil
    }

    /// Text without white space around it; nil when nothing is left.
    func text(_ key: AnyKey) -> String? {
        if let value = try? decodeIfPresent(String.self, forKey: key) {
            let text = trimmed(value)
            return text.isEmpty ? nil : text
        }
        if let value = try? decodeIfPresent(Int64.self, forKey: key) { return String(value) }
        return nil
    }

    func flag(_ key: AnyKey) -> Bool? {
        if let value = try? decodeIfPresent(Bool.self, forKey: key) { return value }
        if let value = int64(key) { return value != 0 }
        switch text(key)?.lowercased() {
        case "true": return true
        case "false": return false
        default: return nil
        }
    }

    /// "n.m" in tenths: 18.4 is 184. A number of the JSON has a binary fraction, so it is rounded, not cut.
    func tenths(_ key: AnyKey) -> Int? {
        guard let value = double(key), (0..<10_000).contains(value) else { return nil }
        return Int((value * 10).rounded())
    }

    /// Seconds since 1970.
    func time(_ key: AnyKey) -> Int? {
        text(key).flatMap(ProviderTime.seconds)
    }

    /// The number in "S1".
    func innings(_ key: AnyKey) -> Int? {
        guard var text = text(key) else { return nil }
        if text.first == "S" || text.first == "s" { text.removeFirst() }
        guard let number = Int(text), (1...99).contains(number) else { return nil }
        return number
    }

    /// An included object, bare or wrapped as `{"data": …}`.
    func included<Value: Decodable>(_ key: AnyKey, as type: Value.Type = Value.self) -> Value? {
        guard contains(key) else { return nil }
        if let value = try? decodeIfPresent(type, forKey: key) { return value }
        guard let wrapper = try? nestedContainer(keyedBy: AnyKey.self, forKey: key) else { return nil }
        return try? wrapper.decodeIfPresent(type, forKey: "data")
    }

    /// An included list, bare, wrapped as `{"data": […]}`, or written as an object with positions as keys (as PHP does
    /// with an array that has holes). A broken row does not spoil the others.
    func list<Value: Decodable>(_ key: AnyKey, of type: Value.Type = Value.self) -> [Lossy<Value>] {
        guard contains(key) else { return [] }
        if let rows = try? decodeIfPresent([Lossy<Value>].self, forKey: key) { return rows }
        guard let wrapper = try? nestedContainer(keyedBy: AnyKey.self, forKey: key) else { return [] }
        if wrapper.contains("data") { return wrapper.list("data", of: type) }
        let keys = wrapper.allKeys.filter { $0.intValue != nil }.sorted { ($0.intValue ?? 0) < ($1.intValue ?? 0) }
        return keys.compactMap { try? wrapper.decode(Lossy<Value>.self, forKey: $0) }
    }

    /// `key`'s id, or an error that names the key.
    func required(_ key: AnyKey) throws(RowProblem) -> Int64 {
        guard let value = id(key) else { throw RowProblem("no \(key.stringValue)") }
        return value
    }

    private func trimmed(_ text: String) -> String {
        guard text.first?.isWhitespace == true || text.last?.isWhitespace == true else { return text }
        let head = text.drop { $0.isWhitespace }
        guard let end = head.lastIndex(where: { !$0.isWhitespace }) else { return "" }
        return String(head[...end])
    }
}
