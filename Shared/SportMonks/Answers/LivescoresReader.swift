/// Reads successive answers of `GET /livescores` and parses only the fixtures that are new. Most of fifty matches have
/// no ball between two polls, and their part of the answer has the same bytes as before.
public struct LivescoresReader: Sendable {
    /// The fixtures of the answer before, by the digest of their bytes.
    private var known: [BytesDigest: RawFixtureEntry] = [:]

    public init() {}

    /// - Returns: the whole answer, including the fixtures that were not parsed again.
    /// - Throws: `ProviderAnswerError` when the body is empty, not JSON or without `data`. The next good answer is then
    ///   compared with the last good one.
    public mutating func read(_ bytes: [UInt8]) throws(ProviderAnswerError) -> LivescoresAnswer {
        // The structure of the whole answer is checked, but for each fixture only its place is noted.
        let places = try ProviderAnswer.read(bytes, notedDepth: 2) { data in
            data.isArray
                ? data.elements().prefix(RawFixtureEntry.listMax).map { Place(range: $0.range, isObject: $0.isObject) }
                : nil
        }.content
        var seen: [BytesDigest: RawFixtureEntry] = [:]
        var entries: [RawFixtureEntry] = []
        entries.reserveCapacity(places.count)
        var reused = 0
        for place in places {
            let digest = bytes.withUnsafeBytes { BytesDigest(UnsafeRawBufferPointer(rebasing: $0[place.range])) }
            let entry: RawFixtureEntry
            if let known = known[digest] {
                entry = known
                reused += 1
            } else {
                entry = try Self.entry(bytes, place)
            }
            seen[digest] = entry
            entries.append(entry)
        }
        known = seen
        return LivescoresAnswer(FixtureList(entries), reused: reused)
    }

    private struct Place {
        var range: Range<Int>
        var isObject: Bool
    }

    private static func entry(_ bytes: [UInt8], _ place: Place) throws(ProviderAnswerError) -> RawFixtureEntry {
        // The range of a string excludes its quotes, and no other scalar is a fixture either.
        guard place.isObject else { return .notAnObject }
        do throws(JSONMalformed) {
            return try JSONValue.read(bytes, place.range, body: RawFixtureEntry.init)
        } catch {
            throw .notJSON("\(bytes.count) bytes that break off or are malformed")
        }
    }
}
