import FoundationEssentials
import SightscreenModels
import Testing

/// The examples of deploy/docs/content-state.md.
@Suite struct ContentStatePageTests {
    private static func examples() throws -> [String] {
        let page = URL(filePath: #filePath).deletingLastPathComponent().appending(
            path: "../../deploy/docs/content-state.md")
        return String(decoding: try Data(contentsOf: page), as: UTF8.self).split(separator: "```json\n").dropFirst()
            .compactMap { $0.split(separator: "```").first.map(String.init) }.filter { $0.contains("\"schema\"") }
    }

    /// A key that the type does not have would be lost on the way, one that it requires could not be left out.
    @Test func everyExampleIsOfTheContract() throws {
        let examples = try Self.examples()
        #expect(examples.count >= 9)
        for example in examples {
            let state = try JSONDecoder().decode(ContentState.self, from: Data(example.utf8))
            let encoder = JSONEncoder()
            encoder.outputFormatting = .withoutEscapingSlashes
            let written = String(decoding: try encoder.encode(state), as: UTF8.self)
            #expect(Self.letters(written) == Self.letters(example), "\(example)")
            #expect(state.matchDisplayState != .other && state.matchSentiment != .other)
            #expect(state.expanded.lastEvent.map { $0.kind.known != nil } ?? true)
            #expect(state.expanded.recentBalls.count <= 12)
        }
    }

    @Test func everyPhaseHasAnExample() throws {
        let states = try Self.examples().map { try JSONDecoder().decode(ContentState.self, from: Data($0.utf8)) }
        let phases = Set(states.map(\.matchDisplayState.rawValue))
        #expect(phases == Set(MatchDisplayState.allCases.filter { $0 != .other }.map(\.rawValue)))
    }

    /// What two JSON texts of the same members have in common, whatever their order and white space.
    private static func letters(_ text: String) -> [Character] {
        text.filter { !$0.isWhitespace && $0 != "," }.sorted()
    }
}
