import Tapes
import Testing

/// A frame has the members, of the same JSON types, that recorded answers have.
@Suite struct ShapeTests {
    /// A type per path, `null` included where the recording has it: the fixture recorded in its second innings.
    @Test func equalsTheRecordedFixture() throws {
        let recorded = Shape(try JSON(try Samples.bytes("sportmonks/fixture-71344-2nd-innings.excerpt.json"))["data"])
        let tape = try Samples.tape(1_270_836)
        let includes = FixtureIncludes(
            "league,season,localteam,visitorteam,batting,bowling,runs,lineup,balls,winnerteam,tosswon,venue,stage")
        let index = try #require(tape.position(of: "S2 1.2"))
        let ours = Shape(try Samples.fixture(tape, index, includes: includes))
        #expect(ours.kinds.keys.sorted() == recorded.kinds.keys.sorted(), "the same members")
        for (path, kinds) in ours.kinds.sorted(by: { $0.key < $1.key }) {
            let known = recorded.kinds[path] ?? []
            // What Cricsheet does not know is null; what was null in one recording may have a value.
            #expect(
                kinds.subtracting(known).subtracting(["null"]).isEmpty || known == ["null"],
                "\(path): \(kinds) was recorded as \(known)")
        }
        // And nothing is null that code may rely on.
        for path in ["starting_at", "note", "venue_id", "total_overs_played", "balls[].score.name", "balls[].ball"] {
            #expect(ours.kinds[path] == recorded.kinds[path], "\(path)")
        }
    }
}

/// The JSON types that occur at each path.
struct Shape {
    private(set) var kinds: [String: Set<String>] = [:]

    init(_ value: JSON) { add(value, "") }

    private mutating func add(_ value: JSON, _ path: String) {
        if !path.isEmpty { kinds[path, default: []].insert(value.kind) }
        switch value {
        case .object(let members):
            for (key, member) in members { add(member, path.isEmpty ? key : "\(path).\(key)") }
        case .array(let elements):
            for element in elements { add(element, "\(path)[]") }
        default: break
        }
    }
}
