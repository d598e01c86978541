public import Detection
import SightscreenModels
import SportMonks
public import TapeFile
import Tapes

/// Plays one match of a recorded tape, answer by answer, as `score-poller` got them. Answers that were of no use then
/// (429, a page of HTML, a match that was not listed) are passed over.
public struct RecordedReplay {
    private let reader: TapeFileReader
    private let match: Int64
    private let startedAt: Int64
    private var replay: MatchReplay
    private var isFinished = false

    /// - Parameters:
    ///   - reader: at the beginning of its tape.
    ///   - match: the provider's fixture id.
    public init(_ reader: TapeFileReader, match: Int64, timing: MatchTiming = MatchTiming()) {
        self.reader = reader
        self.match = match
        startedAt = Int64(ProviderTime.seconds(reader.header.recordedAt) ?? TapeReplay.startsAt) * 1_000
        replay = MatchReplay(MatchID(match), timing: timing)
    }

    /// The fixtures of a tape, ascending by id: reads it to its end.
    /// - Throws: `TapeFileError`, or what reading throws.
    public static func matches(of reader: TapeFileReader) throws -> [Int64] {
        var found: Set<Int64> = []
        while let answer = try reader.next() { found.formUnion(fixtures(of: answer).map(\.id)) }
        return found.sorted()
    }

    /// Nil after the last answer and the time that follows it.
    /// - Throws: `TapeFileError`, or what reading throws.
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
