public import Cricket

/// Decides whether the result of a match that is over can be announced.
///
/// The provider says `Finished` before it knows the winner, or with the wrong one. A result is settled when winner,
/// note and runs agree; until then the outcome carries the sentence that the runs alone give.
public enum ResultJudge {
    public enum Outcome: Equatable, Sendable {
        /// Winner, note and runs agree: the sentence to announce.
        case settled(String)
        /// A limited-overs tie whose super over may yet come; the sentence if none does.
        case awaitingSuperOver(String)
        /// Something is missing or contradicts: the sentence the runs give, should nothing better come.
        case unsettled(String)

        var text: String {
            switch self {
            case .settled(let text), .awaitingSuperOver(let text), .unsettled(let text): text
            }
        }

        var isSettled: Bool { if case .settled = self { true } else { false } }
    }

    /// Whether the provider says that the match is over.
    static func isOver(_ phase: MatchPhase) -> Bool {
        switch phase {
        case .finished, .abandoned, .cancelled: true
        default: false
        }
    }

    /// Whether an abandoned match will not be played on. The status alone does not say: the provider uses it for a day's
    /// play that is given up as well. So its word for a match without a result has to be there, a winner, or a note
    /// that tells a result and no reserve day.
    static func isForGood(_ snapshot: MatchSnapshot) -> Bool {
        let note = (snapshot.note ?? "").lowercased()
        if goingOn.contains(where: note.contains) { return false }
        if snapshot.winnerID != nil || snapshot.outcome != nil { return true }
        let told = ResultNote(snapshot)
        return told.winner != nil || told.drawn != nil
    }

    /// Words of a note by which an abandoned day's play goes on another day.
    private static let goingOn = ["reserve", "resum", "continue", "tomorrow", "next day"]

    /// Evaluates a match that the provider calls over (finished, abandoned or cancelled).
    public static func judge(_ snapshot: MatchSnapshot) -> Outcome {
        let snapshot = ShortHandedInnings.read(snapshot)
        let note = ResultNote(snapshot)
        switch snapshot.phase {
        case .cancelled: return .settled(note.text ?? "Match cancelled")
        case .abandoned where !isForGood(snapshot): return .unsettled("Match abandoned")
        case .abandoned where snapshot.winnerID == nil && note.winner == nil:
            return .settled(note.text ?? "Match abandoned")
        default: break
        }
        let runs = RunsResult(snapshot)
        if let winner = snapshot.winnerID {
            if let text = note.text, note.winner == winner {
                if note.allows(runs, winner: winner) { return .settled(text) }
                if !runs.isDecided { return .unsettled(text) }
            }
            return .unsettled(runs.sentence(in: snapshot, winner: winner))
        }
        guard note.winner == nil else { return .unsettled(runs.sentence(in: snapshot, winner: note.winner)) }
        switch note.drawn {
        case .tie? where runs == .tie || note.isByRule && !runs.isDecided:
            let text = note.text ?? "Match tied"
            return snapshot.format == .firstClass ? .settled(text) : .awaitingSuperOver(text)
        case .noResult? where !runs.isDecided: return .settled(note.text ?? "No result")
        case .draw? where snapshot.format == .firstClass && !runs.isDecided: return .settled(note.text ?? "Match drawn")
        default: break
        }
        if runs == .tie, snapshot.format != .firstClass { return .awaitingSuperOver("Match tied") }
        return .unsettled(runs.sentence(in: snapshot, winner: nil))
    }
}
