import FoundationEssentials
import SportMonks
import TapeFile
import Tapes

/// One match of a recorded tape, replayed as it was: its dates are moved to the clock's time and its id may change.
///
/// Only an index of its frames is kept. Bodies are read from the compressed file when they are shown, because those of
/// a Test are gigabytes.
struct RecordedTape: Sendable {
    enum Problem: Error, CustomStringConvertible {
        case noMatch

        var description: String {
            switch self {
            case .noMatch: "the recorded tape has no such match"
            }
        }
    }

    /// The compressed file.
    let file: [UInt8]
    let title: String
    /// The id that the match has in the file.
    let recordedID: Int64
    let frames: [LoadedTape.Frame]
    let leagueID: Int64
    let seasonID: Int64
    let homeTeamID: Int64
    let awayTeamID: Int64
    /// The recorded start of play, which is offset 0, in seconds since 1970.
    let playedAt: Int

    /// Reads a file once from end to end.
    ///
    /// - Parameter wanted: the id of the match; nil for the one in most answers.
    init(file: [UInt8], match wanted: Int64?) throws {
        self.file = file
        let reader = try TapeFileReader(bytes: file)
        title = reader.header.title
        var answers: [Int64: Int] = [:]
        while let answer = try reader.next() {
            for (id, _) in RecordedAnswerMatches(answer).matches { answers[id, default: 0] += 1 }
        }
        let most = answers.max { ($0.value, $1.key) < ($1.value, $0.key) }?.key
        guard let id = wanted ?? most, answers[id] != nil else { throw Problem.noMatch }
        recordedID = id
        var index = RecordedTapeIndex(match: id, recordedAt: ProviderTime.seconds(reader.header.recordedAt) ?? 0)
        let again = try TapeFileReader(bytes: file)
        var number = 0
        while let answer = try again.next() {
            index.add(answer, number: number)
            number += 1
        }
        frames = index.frames
        playedAt = index.playedAt
        leagueID = index.ids["league_id"] ?? 0
        seasonID = index.ids["season_id"] ?? 0
        homeTeamID = index.ids["localteam_id"] ?? 0
        awayTeamID = index.ids["visitorteam_id"] ?? 0
    }

    /// The body of a frame as the provider would send it now.
    ///
    /// - Parameters:
    ///   - element: the match's JSON object as it was recorded.
    ///   - id: the id under which it plays.
    func shifted(_ element: [UInt8], id: Int64, clock: TapeClock) -> [UInt8] {
        var rewriter = MemberRewriter(element)
        rewriter.replace("starting_at") { _ in "\"\(ProviderTime.text(clock.startsAt))\"" }
        rewriter.replace("updated_at") { text in
            guard text.hasPrefix("\""), let time = ProviderTime.seconds(String(text.dropFirst().dropLast())) else {
                return nil
            }
            return "\"\(ProviderTime.text(clock.time(of: time - playedAt)))\""
        }
        if id != recordedID {
            rewriter.replace("fixture_id") { $0 == String(recordedID) ? String(id) : nil }
            rewriter.replaceOwnID(String(id))
        }
        return rewriter.bytes
    }
}
