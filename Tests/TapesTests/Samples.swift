import FoundationEssentials
import Tapes

/// The matches and recordings that the tests read.
enum Samples {
    static let matches: [Int64] = [
        392_212, 426_416, 501_255, 1_144_530, 1_178_424, 1_216_517, 1_256_724, 1_270_836, 1_273_750, 1_298_152,
        1_304_066, 1_304_076, 1_384_429, 1_426_299,
    ]

    /// A moment for tapes to start.
    static let start = 1_791_547_200

    static func tape(_ id: Int64) throws -> Tape {
        Tape(match: try CricsheetMatch(json: try bytes("matches/\(id).json")), id: id)
    }

    static func bytes(_ path: String) throws -> [UInt8] {
        let folder = #filePath.split(separator: "/").dropLast(2).reduce(into: "") { $0 += "/\($1)" }
        guard let data = FileManager.default.contents(atPath: "\(folder)/Fixtures/\(path)") else {
            throw CocoaError(.fileNoSuchFile)
        }
        return [UInt8](data)
    }

    /// A frame as JSON values.
    static func fixture(_ tape: Tape, _ index: Int, includes: FixtureIncludes = .all) throws -> JSON {
        try JSON(tape.livescoreFixture(index, clock: TapeClock(startsAt: start), includes: includes))
    }
}
