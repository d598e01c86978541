import Cricket

/// Finds the innings that ended with fewer than ten wickets because nobody was left to bat: the rest of the side was
/// absent or retired hurt. The provider's rows only stop, so the end of the innings and the result have to say it.
enum ShortHandedInnings {
    /// Wickets after which a first innings with balls left can only have ended for want of a batter: nobody declares in
    /// limited overs.
    private static let nineDown = 9

    /// The frame with these innings marked.
    static func read(_ snapshot: MatchSnapshot) -> MatchSnapshot {
        var snapshot = snapshot
        for place in snapshot.innings.indices where isShortHanded(snapshot.innings[place], in: snapshot) {
            snapshot.innings[place].ranOutOfBatters = true
        }
        return snapshot
    }

    private static func isShortHanded(_ innings: Innings, in snapshot: MatchSnapshot) -> Bool {
        guard innings.wickets < 10, !MatchSituation.isSuperOver(innings.number, in: snapshot) else { return false }
        let isLast = innings.number == snapshot.innings.last?.number
        if isLast, isLostShort(innings, in: snapshot) { return true }
        guard !isLast || snapshot.phase == .inningsBreak, hasBallsLeft(innings, in: snapshot) else { return false }
        let unable = innings.batting.count { $0.absence != nil }
        if innings.wickets + unable >= 10 { return unable > 0 }
        return snapshot.format != .firstClass && innings.number == 1 && innings.wickets >= nineDown
            && snapshot.revisedOvers == nil && snapshot.revisedTarget == nil
    }

    /// Whether the provider calls the match over and the side that batted last the loser, by the very runs that it
    /// would have lost by if it were all out.
    private static func isLostShort(_ innings: Innings, in snapshot: MatchSnapshot) -> Bool {
        guard snapshot.phase == .finished, let winner = snapshot.winnerID, winner != innings.battingTeamID,
            snapshot.format == .firstClass || MatchSituation.balls(of: innings.number, in: snapshot) != nil,
            RunsResult(snapshot) == .undecided
        else { return false }
        let note = ResultNote(snapshot)
        guard note.winner == winner, !note.isByRule, let margin = note.margin else { return false }
        var closed = snapshot
        closed.innings[closed.innings.count - 1].ranOutOfBatters = true
        return RunsResult(closed) == .won(winner, by: margin)
    }

    private static func hasBallsLeft(_ innings: Innings, in snapshot: MatchSnapshot) -> Bool {
        MatchSituation.balls(of: innings.number, in: snapshot).map { innings.overs.legalBalls < $0 } ?? true
    }
}
