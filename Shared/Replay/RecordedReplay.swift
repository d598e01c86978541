package import Detection
import SightscreenModels
import SportMonks
public import TapeFile
import Tapes

/// Plays one match of a recorded tape, answer by answer, as `score-poller` received them. Answers without the match (a
/// 429, a page of HTML, a list without it) are skipped.
public struct RecordedReplay {
    private let reader: TapeFileReader
    private let match: Int64
    private let startedAt: Int64
    private var replay: MatchReplay
    private var isFinished = false

    /// - Parameters:
    ///   - reader: a reader at the beginning of its tape.
    ///   - match: the provider's fixture id.
    package init(_ reader: TapeFileReader, match: Int64, timing: MatchTiming = MatchTiming()) {
        self.reader = reader
        self.match = match
        startedAt = Int64(ProviderTime.seconds(reader.header.recordedAt) ?? TapeReplay.startsAt) * 1_000
        replay = MatchReplay(MatchID(match), timing: timing)
    }

    /// The ids of the tape's fixtures, ascending. It reads the tape to its end.
    ///
    /// - Throws: `TapeFileError`, or the error of reading.
    public static func matches(of reader: TapeFileReader) throws -> [Int64] {
        var found: Set<Int64> = []
        while let answer = try reader.next() { found.formUnion(fixtures(of: answer).map(\.id)) }
        return found.sorted()
    }

    /// The next step; nil after the last answer and the time that follows it.
    ///
    /// - Throws: `TapeFileError`, or the error of reading.
    public mutating func next() throws -> ReplayStep? {
        while let answer = try reader.next() {
            guard let fixture = Self.fixtures(of: answer).first(where: { $0.id == match }) else { continue }
            let at = startedAt + answer.atMs
            do { return replay.take(try fixture.snapshot(), label: fixture.status, at: at) } catch {
                return replay.refuse("\(error)", label: fixture.status)
            }
        }
        guard !isFinished else { return nil }
        isFinished = true
        return replay.finish()
    }

    private static func fixtures(of answer: RecordedAnswer) -> [SlimFixture] {
        guard answer.status == 200 else { return [] }
        if answer.path == "/livescores" { return (try? LivescoresAnswer.fixtures(from: answer.body)) ?? [] }
        return (try? FixtureAnswer.fixture(from: answer.body)).map { [$0] } ?? []
    }
}
