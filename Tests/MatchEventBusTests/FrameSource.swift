import FoundationEssentials
import Messages
import SightscreenModels
import SportMonks
import Tapes
import Testing

/// Frames of a real match, as the poller would offer them now.
struct FrameSource {
    let match: MatchID
    private let tape: Tape

    init(_ id: Int64 = 1_304_076) throws {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        let file = folder.appendingPathComponent("Fixtures/matches/\(id).json")
        tape = Tape(match: try CricsheetMatch(json: [UInt8](Data(contentsOf: file))), id: id)
        match = MatchID(id)
    }

    /// The frame of a label ("S1 0.3"), fetched at `fetchedAt` milliseconds since 1970.
    func frame(_ label: String, fetchedAt: Int64) throws -> ScoreFrame {
        let answer = try LivescoresAnswer.fixtures(from: self.answer(label, fetchedAt: fetchedAt))
        return ScoreFrame(
            matchID: match, fetchedAt: fetchedAt, previousFetchedAt: nil, fixture: try #require(answer.first))
    }

    /// The provider's answer that the frame of a label is made of.
    func answer(_ label: String, fetchedAt: Int64) throws -> [UInt8] {
        let index = try #require(tape.position(of: label))
        let startsAt = Int(fetchedAt / 1_000) - tape.frames[index].offset
        return tape.livescores(index, clock: TapeClock(startsAt: startsAt))
    }
}
