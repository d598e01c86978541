import Sightscreen

/// Tells when an innings is over and another follows.
enum InningsEnd {
    /// The `inningsBreak` after `innings`, once the frame shows it.
    static func event(of innings: Innings, in snapshot: MatchSnapshot) -> MatchEvent? {
        guard isFollowed(innings, in: snapshot) else { return nil }
        let ball = innings.balls.last
        return MatchEvent(
            key: "inningsBreak:S\(innings.number)", kind: .inningsBreak, innings: innings.number, ball: ball?.label,
            ballID: ball?.id, text: text(innings, in: snapshot), at: innings.updatedAt ?? ball?.updatedAt ?? 0)
    }

    private static func isFollowed(_ innings: Innings, in snapshot: MatchSnapshot) -> Bool {
        if snapshot.innings.contains(where: { $0.number > innings.number }) { return true }
        // Between the end of a decided match and its result there is no innings to come, whatever the status says.
        if snapshot.format != .firstClass, innings.number.isMultiple(of: 2), case .won = RunsResult(snapshot) {
            return false
        }
        switch snapshot.phase {
        case .inningsBreak: return true
        case .innings(let number): return number > innings.number
        // The interval may be the one between two innings; then only the figures say that an innings is over.
        case .lunch, .tea, .dinner, .stumps: return isComplete(innings, in: snapshot)
        default: return false
        }
    }

    /// Over by its figures, and surely not the last of the match.
    private static func isComplete(_ innings: Innings, in snapshot: MatchSnapshot) -> Bool {
        if snapshot.format == .firstClass { return innings.number <= 2 && innings.wickets >= 10 }
        guard innings.number == 1 else { return false }
        return innings.wickets >= 10 || innings.overs.completed >= snapshot.scheduledOvers ?? .max
    }

    private static func text(_ innings: Innings, in snapshot: MatchSnapshot) -> String {
        let code = DisplayText.code(snapshot.team(innings.battingTeamID)?.code ?? "")
        let score = "\(code) \(innings.runs)/\(innings.wickets) (\(innings.overs))"
        if snapshot.format == .firstClass {
            // Nine down may be all out: somebody is hurt.
            return innings.wickets < 9 ? "Innings declared: \(score)" : "End of innings: \(score)"
        }
        let isSuper = MatchSituation.isSuperOver(innings.number, in: snapshot)
        guard innings.number % 2 == 1 else {
            // Another follows only upon a tie.
            guard RunsResult(snapshot, through: innings.number) == .tie else { return "End of innings: \(score)" }
            return isSuper ? "Super over tied: \(score)" : "Scores level: \(score)"
        }
        let chasing = snapshot.home.id == innings.battingTeamID ? snapshot.away : snapshot.home
        let target = innings.number == 1 ? snapshot.revisedTarget ?? innings.runs + 1 : innings.runs + 1
        return "\(isSuper ? "Super over" : "Innings break"): \(score), \(DisplayText.code(chasing.code)) need \(target)"
    }
}
