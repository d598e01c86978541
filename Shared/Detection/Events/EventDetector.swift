public import Cricket
public import SightscreenModels

/// Finds every event that a frame shows, from the balls as they now stand and from the totals where balls are missing.
///
/// Nothing is remembered between frames. Each frame brings all balls, so a correction gives the events of the corrected
/// balls. Keys are stable, by ball, by over, or by innings and player: the same event is never new twice, whether the
/// totals show it before its ball or the other way round.
public enum EventDetector {
    /// All events in order of play, each key once. `suspended`, `resumed` and `stumps` are not among them, because one
    /// frame alone cannot show a change. `matchResult` is, once winner, note and runs agree.
    public static func events(in snapshot: MatchSnapshot) -> [MatchEvent] {
        var events: [MatchEvent] = []
        if let toss = toss(in: snapshot) { events.append(toss) }
        for innings in snapshot.innings {
            var walk = InningsWalk(innings, in: snapshot)
            events += walk.events()
            if let end = InningsEnd.event(of: innings, in: snapshot) {
                events.append(end)
                if innings.number == 1, let revised = targetRevised(in: snapshot) { events.append(revised) }
            }
        }
        if ResultJudge.isOver(snapshot.phase), case .settled(let text) = ResultJudge.judge(snapshot) {
            let last = snapshot.innings.last
            let ball = last?.balls.last
            events.append(
                MatchEvent(
                    key: "matchResult", kind: .matchResult, innings: last?.number, ball: ball?.label, ballID: ball?.id,
                    text: text, at: last?.updatedAt ?? ball?.updatedAt ?? 0))
        }
        var seen = Set<String>()
        return events.filter { seen.insert($0.key).inserted }
    }

    /// The winner of the toss and the decision. The frame does not say when they became known.
    private static func toss(in snapshot: MatchSnapshot) -> MatchEvent? {
        guard let winner = snapshot.tossWinnerID.flatMap(snapshot.team), let decision = snapshot.tossDecision else {
            return nil
        }
        return MatchEvent(
            key: "toss", kind: .toss, text: EventText.toss(DisplayText.code(winner.code), decision), at: 0)
    }

    /// The target of the second innings where it is not one more than the runs of the first. The frame does not say
    /// when or after which ball it was revised.
    private static func targetRevised(in snapshot: MatchSnapshot) -> MatchEvent? {
        guard snapshot.format != .firstClass, let first = snapshot.innings.first(where: { $0.number == 1 }),
            let target = snapshot.revisedTarget, target > 0, target != first.runs + 1
        else { return nil }
        let chasing = snapshot.home.id == first.battingTeamID ? snapshot.away : snapshot.home
        return MatchEvent(
            key: targetKey(target), kind: .targetRevised, innings: 2,
            text: EventText.targetRevised(DisplayText.code(chasing.code), target), at: 0)
    }

    static func targetKey(_ target: Int) -> String { "targetRevised:S2:\(target)" }
}
