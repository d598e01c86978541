import Sightscreen

/// The provider's first word on a ball is often wrong. An alert needs two parts of one frame that agree on it (the ball,
/// and a batting row, bowling row or total), or two frames.
enum Agreement {
    static func holds(for event: MatchEvent, among all: [MatchEvent], in snapshot: MatchSnapshot) -> Bool {
        if event.kind == .matchResult { return true }
        guard let innings = snapshot.innings.first(where: { $0.number == event.innings }) else { return false }
        switch event.kind {
        case .wicket: return wicket(event, in: innings)
        case .milestone:
            let line = innings.batting.first { $0.playerID == event.playerID }
            return event.ballID != nil && (line?.runs ?? 0) >= (event.value ?? 50)
        case .batterOnFire:
            let line = innings.batting.first { $0.playerID == event.playerID }
            guard let line, event.ballID != nil else { return false }
            return line.ballsFaced >= 15 && line.runs >= 2 * line.ballsFaced
        case .onHatTrick, .hatTrick, .bowlerOnFire:
            let line = innings.bowling.first { $0.playerID == event.playerID }
            let taken = innings.balls.reduce(0) {
                $0 + ($1.bowlerID == event.playerID && $1.howOut?.isBowlers == true ? 1 : 0)
            }
            return taken > 0 && (line?.wickets ?? 0) >= taken
        case .maidenOver:
            let line = innings.bowling.first { $0.playerID == event.playerID }
            let maidens = all.reduce(0) {
                $0
                    + ($1.kind == .maidenOver && $1.innings == event.innings && $1.playerID == event.playerID ? 1 : 0)
            }
            return (line?.maidens ?? 0) >= maidens
        case .inningsBreak: return inningsOver(innings, in: snapshot)
        default: return true
        }
    }

    /// The ball and the batting row, or the ball and the total; without a ball the row and the total.
    private static func wicket(_ event: MatchEvent, in innings: Innings) -> Bool {
        let rowIsOut = innings.batting.contains { $0.playerID == event.playerID && $0.dismissal != nil }
        let ballIsOut = innings.balls.contains { $0.outID == event.playerID && $0.id == event.ballID }
        let out = Set(innings.balls.compactMap(\.outID))
            .union(innings.batting.filter { $0.dismissal != nil }.map(\.playerID))
        let totalAgrees = innings.wickets >= out.count
        return [rowIsOut, ballIsOut, totalAgrees].reduce(0) { $0 + ($1 ? 1 : 0) } >= 2
    }

    /// The status says break (or the next innings has its row), and the figures say that this one can be over.
    private static func inningsOver(_ innings: Innings, in snapshot: MatchSnapshot) -> Bool {
        if snapshot.innings.contains(where: { $0.number > innings.number }) { return true }
        let isSuper = MatchSituation.isSuperOver(innings.number, in: snapshot)
        if innings.wickets >= (isSuper ? 2 : 10) { return true }
        guard let overs = isSuper ? 1 : snapshot.revisedOvers ?? snapshot.scheduledOvers else { return false }
        return innings.overs.completed >= overs
    }
}
