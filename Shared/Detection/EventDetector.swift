public import Sightscreen

/// Finds every event that a frame shows, from the balls as they now stand and from the totals where balls are missing.
///
/// Nothing is remembered between frames: each frame brings all balls, so a correction gives the events of the corrected
/// balls. Keys are stable, by ball, by over, or by innings and player, so that the same event is never new twice, whether
/// it is seen from the totals first and from its ball later, or the other way round.
public enum EventDetector {
    /// All events, in order of play, each key once. `suspended` and `resumed` are not among them: one frame alone cannot
    /// show a change. `matchResult` is, once winner, note and runs agree.
    public static func events(in snapshot: MatchSnapshot) -> [MatchEvent] {
        var events: [MatchEvent] = []
        for innings in snapshot.innings {
            var walk = InningsWalk(innings, in: snapshot)
            events += walk.events()
            if let end = InningsEnd.event(of: innings, in: snapshot) { events.append(end) }
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
}
