import Cricket
import SightscreenModels

/// Detects that an innings is over and another follows.
enum InningsEnd {
    /// The `inningsBreak` after `innings`, once the frame shows it.
    static func event(of innings: Innings, in snapshot: MatchSnapshot) -> MatchEvent? {
        guard isFollowed(innings, in: snapshot) else { return nil }
        let ball = innings.balls.last
        return MatchEvent(
            key: "inningsBreak:S\(innings.number)", kind: .inningsBreak, innings: innings.number, ball: ball?.label,
            ballID: ball?.id, text: text(innings, in: snapshot), at: innings.updatedAt ?? ball?.updatedAt ?? 0)
    }

    /// Whether the side forfeited the innings: the next one is there, and no ball was bowled in it.
    static func isForfeited(_ innings: Innings, in snapshot: MatchSnapshot) -> Bool {
        guard snapshot.format == .firstClass, !hasBegun(innings) else { return false }
        if case .innings(let number) = snapshot.phase, number > innings.number { return true }
        return snapshot.innings.contains { $0.number > innings.number }
    }

    private static func hasBegun(_ innings: Innings) -> Bool {
        !innings.balls.isEmpty || innings.overs > Overs(completed: 0, balls: 0) || innings.wickets > 0
    }

    private static func isFollowed(_ innings: Innings, in snapshot: MatchSnapshot) -> Bool {
        if snapshot.innings.contains(where: { $0.number > innings.number }) { return true }
        // The row of the next innings may come while the status still names the break before it.
        if snapshot.format == .firstClass, snapshot.phase == .inningsBreak, !hasBegun(innings) { return false }
        // Between the end of a decided match and its result no innings follows, whatever the status says.
        if snapshot.format != .firstClass, innings.number.isMultiple(of: 2), case .won = RunsResult(snapshot) {
            return false
        }
        switch snapshot.phase {
        case .inningsBreak: return true
        case .innings(let number): return number > innings.number
        // The interval may also be the one between two innings; then only the figures say that an innings is over.
        case .lunch, .tea, .dinner, .stumps: return isComplete(innings, in: snapshot)
        default: return false
        }
    }

    /// Whether the innings is over by its figures and is surely not the last of the match.
    private static func isComplete(_ innings: Innings, in snapshot: MatchSnapshot) -> Bool {
        if snapshot.format == .firstClass { return innings.number <= 2 && innings.wickets >= 10 }
        guard innings.number == 1 else { return false }
        return innings.wickets >= 10 || innings.overs.completed >= snapshot.scheduledOvers ?? .max
    }

    private static func text(_ innings: Innings, in snapshot: MatchSnapshot) -> String {
        let code = DisplayText.code(snapshot.team(innings.battingTeamID)?.code ?? "")
        let score = "\(code) \(InningsScore(innings).spelled) (\(innings.overs))"
        if snapshot.format == .firstClass {
            if isForfeited(innings, in: snapshot) { return forfeit(innings, in: snapshot) }
            return isDeclared(innings) ? "Innings declared: \(score)" : "End of innings: \(score)"
        }
        let isSuper = MatchSituation.isSuperOver(innings.number, in: snapshot)
        guard innings.number % 2 == 1 else {
            guard isTied(innings, in: snapshot) else { return "End of innings: \(score)" }
            return isSuper ? "Super over tied: \(score)" : "Scores level: \(score)"
        }
        // The card shows the score above it, and the target stays true while the chase is on.
        guard let (chasing, target) = target(after: innings, in: snapshot) else { return "End of innings: \(score)" }
        if target != innings.runs + 1 { return "\(DisplayText.code(chasing.code)) need \(target) (revised)" }
        return "\(code) set \(DisplayText.code(chasing.code)) \(target) to win"
    }

    /// Whether the innings was declared. Nine down may also be all out, with a batter hurt.
    private static func isDeclared(_ innings: Innings) -> Bool { innings.wickets < 9 && !innings.ranOutOfBatters }

    /// "NMR forfeit their second innings".
    static func forfeit(_ innings: Innings, in snapshot: MatchSnapshot) -> String {
        let code = DisplayText.code(snapshot.team(innings.battingTeamID)?.code ?? "")
        return "\(code) forfeit their \(innings.number > 2 ? "second" : "first") innings"
    }

    /// Whether the scores are level: another innings follows a chase only after a tie.
    private static func isTied(_ innings: Innings, in snapshot: MatchSnapshot) -> Bool {
        RunsResult(snapshot, through: innings.number) == .tie
    }

    /// The way the innings ended: "all out for 171", "finish on 217/5", "declare on 446/8", "176/6: scores level".
    static func ended(_ innings: Innings, in snapshot: MatchSnapshot) -> String {
        let score = InningsScore(innings).spelled
        if snapshot.format != .firstClass, innings.number.isMultiple(of: 2), isTied(innings, in: snapshot) {
            return "\(score): scores level"
        }
        if InningsScore(innings).isAllOut { return "all out for \(innings.runs)" }
        return "\(snapshot.format == .firstClass && isDeclared(innings) ? "declare" : "finish") on \(score)"
    }

    /// "KKR need 218"; nil where another innings comes before the chase.
    static func chase(after innings: Innings, in snapshot: MatchSnapshot) -> String? {
        target(after: innings, in: snapshot).map { "\(DisplayText.code($0.chasing.code)) need \($0.target)" }
    }

    private static func target(
        after innings: Innings, in snapshot: MatchSnapshot
    ) -> (chasing: Team, target: Int)? {
        guard snapshot.format != .firstClass, innings.number % 2 == 1 else { return nil }
        let chasing = snapshot.home.id == innings.battingTeamID ? snapshot.away : snapshot.home
        let target = innings.number == 1 ? snapshot.revisedTarget ?? innings.runs + 1 : innings.runs + 1
        return (chasing, target)
    }
}
