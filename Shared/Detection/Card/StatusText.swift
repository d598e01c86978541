import Cricket
import SightscreenModels

/// The `status` of a content state: what interrupts play, why there is no play, or what kind of play it is.
enum StatusText {
    /// The status; nil while the match is simply in play. `result` is the settled result, when there is one.
    static func of(_ snapshot: MatchSnapshot, result: String?) -> String? {
        if let result { return DisplayText.line(result) }
        switch snapshot.phase {
        case .notStarted:
            guard let winner = snapshot.tossWinnerID.flatMap(snapshot.team) else { return nil }
            let name = DisplayText.name(winner.name)
            return snapshot.tossDecision.map { EventText.toss(name, $0) } ?? "\(name) won the toss"
        case .delayed: return reason(snapshot.note).map(delay) ?? "Start delayed"
        case .postponed: return "Postponed"
        case .cancelled: return "Match cancelled"
        case .innings, .unknown: return snapshot.innings.last.flatMap { superOver($0.number, in: snapshot) }
        case .inningsBreak:
            guard let last = snapshot.innings.last else { return "Innings break" }
            if isTied(snapshot) { return "\(superOver(last.number + 1, in: snapshot) ?? "Super over") to come" }
            return superOver(last.number, in: snapshot) ?? "Innings break"
        case .lunch: return "Lunch"
        case .tea: return "Tea"
        case .dinner: return "Dinner"
        case .stumps(let day): return day > 0 ? "Day \(day): Stumps" : "Stumps"
        case .interrupted: return reason(snapshot.note) ?? "Play stopped"
        case .abandoned: return reason(snapshot.note) ?? "Match abandoned"
        case .finished: return isTied(snapshot) ? "Scores level" : "Awaiting the result"
        }
    }

    /// "Super over", "2nd super over"; nil for an innings of the match proper.
    static func superOver(_ number: Int, in snapshot: MatchSnapshot) -> String? {
        guard MatchSituation.isSuperOver(number, in: snapshot) else { return nil }
        switch (number - 1) / 2 {
        case 1: return "Super over"
        case 2: return "2nd super over"
        case 3: return "3rd super over"
        case let count: return "\(count)th super over"
        }
    }

    /// Whether the last pair of innings of a limited-overs match is level.
    private static func isTied(_ snapshot: MatchSnapshot) -> Bool {
        guard snapshot.format != .firstClass, let last = snapshot.innings.last, last.number % 2 == 0 else {
            return false
        }
        return RunsResult(snapshot) == .tie
    }

    /// "Toss delayed: wet outfield" of "Toss delayed due to wet outfield", which leaves more room for the reason.
    private static func delay(_ reason: String) -> String {
        guard let due = reason.ranges(of: " due to ").first else { return reason }
        return "\(reason[..<due.lowerBound]): \(reason[due.upperBound...])"
    }

    /// The provider's note where it says why there is no play. The target of a chase, who won the toss and a result are
    /// no reason.
    private static func reason(_ note: String?) -> String? {
        guard let note else { return nil }
        let text = DisplayText.line(note)
        let lowered = text.lowercased()
        let isAbout = ["target", " won", "elected", "opted", "chose to", "tied", "need", "lead by", "trail"].contains {
            lowered.contains($0)
        }
        return text.isEmpty || isAbout ? nil : text
    }
}
