import TapeFile

/// The matches of one recorded answer, each with the bytes of its JSON object.
struct RecordedAnswerMatches {
    let matches: [(id: Int64, element: [UInt8])]
    /// Whether the answer has every live match; nil for an answer that says nothing about matches.
    let isWholeList: Bool?

    init(_ answer: RecordedAnswer) {
        let body = answer.body
        guard answer.status == 200, let data = JSONSpan.members(body)?["data"] else {
            matches = []
            isWholeList = nil
            return
        }
        let value = Array(body[data])
        let isList = answer.path.hasSuffix("/livescores")
        guard isList || answer.path.contains("/fixtures/") else {
            matches = []
            isWholeList = nil
            return
        }
        let elements = isList ? (JSONSpan.elements(value) ?? []).map { Array(value[$0]) } : [value]
        matches = elements.compactMap { element in
            RecordedMembers(element)?.number("id").map { ($0, element) }
        }
        isWholeList = isList
    }
}

/// The members of a JSON object, parsed as they are needed.
struct RecordedMembers {
    private let bytes: [UInt8]
    private let places: [String: Range<Int>]

    init?(_ bytes: [UInt8]) {
        guard let places = JSONSpan.members(bytes) else { return nil }
        self.bytes = bytes
        self.places = places
    }

    func raw(_ name: String) -> [UInt8]? { places[name].map { Array(bytes[$0]) } }
    func text(_ name: String) -> String? {
        guard let raw = raw(name) else { return nil }
        let text = String(decoding: raw, as: UTF8.self)
        return text.hasPrefix("\"") ? String(text.dropFirst().dropLast()) : text
    }
    func number(_ name: String) -> Int64? { text(name).flatMap { Int64($0) } }

    /// The last element of a member that is an array of objects.
    func last(_ name: String) -> RecordedMembers? {
        guard let raw = raw(name), let place = JSONSpan.elements(raw)?.last else { return nil }
        return RecordedMembers(Array(raw[place]))
    }
}
