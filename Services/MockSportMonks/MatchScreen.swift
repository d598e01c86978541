import TapeFile
import Tapes

/// Renders the frames of one loaded match. Frames in order are cheap, because the parts that did not change are copied.
actor MatchScreen {
    private struct Key: Equatable {
        var revision: Int
        var include: String
    }

    private struct Shown {
        var key: Key
        var index: Int
        var bytes: [UInt8]
    }

    private var reel: (key: Key, reel: TapeReel)?
    private var recording: (reader: TapeFileReader, next: Int)?
    /// The most answers kept: a few clients ask for different includes.
    private static let answersMax = 4
    private var answers: [Shown] = []

    /// The match's JSON object. The bytes of an earlier call are used again while the match has no new frame: polls
    /// come more often than balls.
    func json(_ player: MatchPlayer, include: String, rowsBehind: Int) throws -> [UInt8] {
        let key = Key(revision: player.revision, include: include)
        let index = player.frameIndex
        if rowsBehind == 0, let known = answers.first(where: { $0.key == key && $0.index == index }) {
            return known.bytes
        }
        let bytes: [UInt8]
        switch player.tape.source {
        case .converted(let tape):
            bytes = render(tape, player, key, rowsBehind: rowsBehind)
        case .recorded(let tape):
            bytes = tape.shifted(
                try element(tape, player.tape.frame(index).source), id: player.tape.id, clock: player.clock)
        }
        if rowsBehind == 0 {
            answers.removeAll { $0.key.include == include }
            if answers.count >= Self.answersMax { answers.removeFirst() }
            answers.append(Shown(key: key, index: index, bytes: bytes))
        }
        return bytes
    }

    private func render(_ tape: Tape, _ player: MatchPlayer, _ key: Key, rowsBehind: Int) -> [UInt8] {
        var current: TapeReel
        if let known = reel, known.key == key {
            current = known.reel
        } else {
            current = TapeReel(tape, clock: player.clock, includes: FixtureIncludes(key.include))
        }
        // The actor gives up its reference, so that the reel is changed in place and not copied.
        reel = nil
        let bytes = current.fixture(player.tape.frame(player.frameIndex).source, rowsBehind: rowsBehind)
        reel = (key, current)
        return bytes
    }

    /// The match's object in answer `number` of the file, which is read on from the last one, or from its beginning.
    private func element(_ tape: RecordedTape, _ number: Int) throws -> [UInt8] {
        var (reader, next) = try recording ?? (TapeFileReader(bytes: tape.file), 0)
        if next > number { (reader, next) = (try TapeFileReader(bytes: tape.file), 0) }
        recording = nil
        while let answer = try reader.next() {
            next += 1
            guard next > number else { continue }
            recording = (reader, next)
            guard
                let match = RecordedAnswerMatches(answer).matches.first(where: { $0.id == tape.recordedID })
            else { break }
            return match.element
        }
        throw RecordedTape.Problem.noMatch
    }
}
