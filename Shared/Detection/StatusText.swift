import Sightscreen

/// What interrupts play, or why there is none: the `status` of a content state.
enum StatusText {
    /// Nil while the match is simply in play. `result` is the settled result, when there is one.
    static func of(_ snapshot: MatchSnapshot, result: String?) -> String? {
        if let result { return DisplayText.line(result) }
        switch snapshot.phase {
        case .notStarted:
            guard let winner = snapshot.tossWinnerID.flatMap(snapshot.team) else { return nil }
            return "\(DisplayText.name(winner.name)) won the toss"
        case .delayed: return "Start delayed"
        case .postponed: return "Postponed"
        case .cancelled: return "Match cancelled"
        case .innings, .unknown: return nil
        case .inningsBreak: return "Innings break"
        case .lunch: return "Lunch"
        case .tea: return "Tea"
        case .dinner: return "Dinner"
        case .stumps(let day): return day > 0 ? "Stumps, day \(day)" : "Stumps"
        case .interrupted: return interruption(snapshot.note) ?? "Play suspended"
        case .abandoned: return interruption(snapshot.note) ?? "Match abandoned"
        case .finished: return "Awaiting the result"
        }
    }

    /// The provider's note when it says why play stopped; the target of a chase is no reason.
    private static func interruption(_ note: String?) -> String? {
        guard let note else { return nil }
        let text = DisplayText.line(note)
        return text.isEmpty || text.hasPrefix("Target") ? nil : text
    }
}
