import Cricket
import Detection
import FoundationEssentials
import SightscreenModels
import SportMonks
import Tapes
import Testing

/// A real match as frames, for tests that play it through the machine. Its frames are made once for all tests.
struct WholeMatch {
    /// The T20 of the demo: 217/5 in 20 overs, and 210 all out in 19.4.
    static let demo = Result { try WholeMatch(1_304_076) }
    static let startsAt = 1_750_000_000

    struct Frame {
        var snapshot: MatchSnapshot
        /// When it is first seen, milliseconds since 1970: two seconds after the provider has it.
        var at: Int64
    }

    let id: MatchID
    /// Those that `/livescores` has.
    let frames: [Frame]

    /// - Parameters:
    ///   - id: of a file in Tests/Fixtures/matches.
    ///   - every: takes one frame of so many, and the last six.
    init(_ id: Int64, every: Int = 1) throws {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        let file = folder.appendingPathComponent("Fixtures/matches/\(id).json")
        let tape = Tape(match: try CricsheetMatch(json: [UInt8](Data(contentsOf: file))), id: id)
        let clock = TapeClock(startsAt: Self.startsAt)
        let listed = tape.frames.indices.filter { tape.frames[$0].isListed }
        self.id = MatchID(id)
        frames = try listed.enumerated()
            .filter { $0.offset % every == 0 || $0.offset + 6 >= listed.count }
            .map { _, index in
                let answer = try LivescoresAnswer.fixtures(from: tape.livescores(index, clock: clock))
                return Frame(
                    snapshot: try #require(answer.first).snapshot(),
                    at: Int64(clock.time(of: tape.frames[index].offset)) * 1_000 + 2_000)
            }
    }
}

/// What a machine gave out for a run of frames.
struct Played {
    var machine: MatchMachine
    var changes: [MatchChange] = []

    init(_ id: MatchID) { machine = MatchMachine(matchID: id) }

    var events: [MatchEvent] { changes.flatMap(\.events) }
    var alerts: [MatchAlert] { changes.compactMap(\.alert) }
    var state: ContentState? { changes.last?.contentState }

    @discardableResult
    mutating func take(_ snapshot: MatchSnapshot, at: Int64, timing: MatchTiming = MatchTiming()) -> MatchChange? {
        if let due = machine.nextDueAt, due < at, let change = machine.tick(now: due, timing: timing) {
            changes.append(change)
        }
        let change = machine.apply(snapshot, fetchedAt: at, now: at + 100, timing: timing)
        if let change { changes.append(change) }
        return change
    }

    mutating func play(_ frames: some Sequence<WholeMatch.Frame>) {
        for frame in frames { take(frame.snapshot, at: frame.at) }
    }
}
