import TapeFile
import Tapes

/// Collects the frames of one match from a recorded tape's answers; an answer equal to the one before makes no frame.
struct RecordedTapeIndex {
    private let match: Int64
    private let recordedAt: Int
    private var seen: [(frame: LoadedTape.Frame, time: Int)] = []
    private var newest: [UInt8] = []
    private var startedAt: Int?
    /// The ids of the first frame: `league_id` and the like.
    private(set) var ids: [String: Int64] = [:]

    /// - Parameter recordedAt: the start of the recording, in seconds since 1970.
    init(match: Int64, recordedAt: Int) {
        self.match = match
        self.recordedAt = recordedAt
    }

    /// The start of play, or of the recording where that is not known, in seconds since 1970.
    var playedAt: Int { startedAt ?? seen.first?.time ?? recordedAt }

    var frames: [LoadedTape.Frame] {
        seen.map { entry in
            var frame = entry.frame
            frame.offset = entry.time - playedAt
            return frame
        }
    }

    mutating func add(_ answer: RecordedAnswer, number: Int) {
        let content = RecordedAnswerMatches(answer)
        let time = recordedAt + Int(answer.atMs / 1_000)
        guard let element = content.matches.first(where: { $0.id == match })?.element else {
            // The match has left the list.
            if content.isWholeList == true, var gone = seen.last?.frame, gone.isListed {
                gone.isListed = false
                gone.label = "Gone"
                seen.append((gone, time))
                newest = []
            }
            return
        }
        guard element != newest, let members = RecordedMembers(element), let isListed = content.isWholeList else {
            return
        }
        newest = element
        let status = members.text("status") ?? ""
        if seen.isEmpty {
            for name in ["league_id", "season_id", "localteam_id", "visitorteam_id"] {
                ids[name] = members.number(name)
            }
        }
        if startedAt == nil, status.hasSuffix("Innings") { startedAt = time }
        seen.append(
            (
                LoadedTape.Frame(
                    offset: 0, label: Self.label(members, status: status), status: status, isListed: isListed,
                    source: number), time
            ))
    }

    /// The label as a converted tape has it: "S1 19.4 162/3" in play, otherwise the status.
    private static func label(_ members: RecordedMembers, status: String) -> String {
        guard status.hasSuffix("Innings"), let ball = members.last("balls"), let runs = members.last("runs"),
            let scoreboard = ball.text("scoreboard"), let label = ball.text("ball"), let score = runs.text("score"),
            let wickets = runs.text("wickets")
        else { return status }
        return "\(scoreboard) \(label) \(score)/\(wickets)"
    }
}
