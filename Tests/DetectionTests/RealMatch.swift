import Cricket
import FoundationEssentials
import SightscreenModels
import SportMonks
import Tapes

/// A match of Tests/Fixtures/matches, as a tape.
struct RealMatch {
    static let ids: [Int64] = [
        392212, 501255, 1_144_530, 1_178_424, 1_216_517, 1_256_724, 1_270_836, 1_273_750, 1_298_152, 1_304_066,
        1_304_076, 1_384_429, 1_426_299, 426416,
    ]

    let file: URL
    let tape: Tape

    init(_ id: Int64, path: String = #filePath) throws {
        let tests = path.split(separator: "/", omittingEmptySubsequences: false).dropLast(2).joined(separator: "/")
        file = URL(filePath: "\(tests)/Fixtures/matches/\(id).json")
        tape = Tape(match: try CricsheetMatch(json: Array(try Data(contentsOf: file))), id: id)
    }

    /// One frame, by way of the provider's JSON.
    func snapshot(_ frame: Int) throws -> MatchSnapshot {
        let fixture = tape.livescoreFixture(frame, clock: TapeClock(startsAt: 1_790_000_000))
        return try FixtureAnswer.fixture(from: Array("{\"data\":".utf8) + fixture + Array("}".utf8)).snapshot()
    }

    /// The last frame, which has every ball; read once for all tests.
    func last() throws -> MatchSnapshot {
        guard let snapshot = Self.lastFrames[tape.id] else { throw NoSuchFrame(label: "last") }
        return snapshot
    }

    private static let lastFrames: [Int64: MatchSnapshot] = {
        var frames: [Int64: MatchSnapshot] = [:]
        for id in ids {
            guard let match = try? RealMatch(id) else { continue }
            frames[id] = try? match.snapshot(match.tape.frames.count - 1)
        }
        return frames
    }()

    struct NoSuchFrame: Error { var label: String }
}

extension MatchEvent {
    /// As the oracle writes it.
    func line(in snapshot: MatchSnapshot) -> String {
        let player = kind == .endOfOver ? nil : playerID.flatMap { snapshot.players[$0]?.fullName }
        let parts = [kind.rawValue, innings.map { "S\($0)" }, ball, player, value.map(String.init)]
        return parts.compactMap { $0 }.joined(separator: " ")
    }
}
