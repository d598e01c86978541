import Cricket
import SightscreenModels
/// The correction of an announced event that the provider took back.
enum Correction {
    /// The announcement of the correction. It has the rank and the audience of the event it takes back, and a key of
    /// its own.
    static func announcement(of old: CooldownFilter.Announced, in snapshot: MatchSnapshot, at: Int)
        -> AlertComposer.Announcement
    {
        let told = MatchEvent(
            key: old.key, kind: old.kind, value: old.value, innings: old.innings, ball: old.ball, text: "", at: at)
        let texts = texts(old, in: snapshot)
        let words = AlertWords(
            titles: texts.map { "Correction: \($0)" } + ["Correction"], detail: nil, mention: texts[0],
            rank: KeyEventOrder.rank(told) ?? .max, sound: false, isKey: old.isKey ?? false, takesScore: true)
        var event = told
        event.key = "correction:\(old.key)@\(old.ballID.map(String.init) ?? old.ball ?? "")"
        event.kind = .correction
        event.value = nil
        event.text = texts[0]
        return AlertComposer.Announcement(event: event, words: words)
    }

    /// "Buttler not out", followed by shorter texts for less room.
    private static func texts(_ old: CooldownFilter.Announced, in snapshot: MatchSnapshot) -> [String] {
        let name = old.name
        let innings = snapshot.innings.first { $0.number == old.innings }
        let batting = innings?.batting.first { $0.playerID == old.player }
        let bowling = innings?.bowling.first { $0.playerID == old.player }
        func of(_ named: (String) -> String, _ unnamed: String) -> [String] {
            (name.map { [named($0)] } ?? []) + [unnamed]
        }
        return switch old.kind {
        case .wicket: of({ "\($0) not out" }, "no wicket")
        case .milestone: of({ "\($0) not yet \(old.value ?? 50)" }, "not yet \(old.value ?? 50)")
        case .hatTrick: of({ "no hat-trick for \($0)" }, "no hat-trick")
        case .onHatTrick: of({ "\($0) not on a hat-trick" }, "not on a hat-trick")
        case .fiveWickets: of({ "not yet \(old.value ?? 5) for \($0)" }, "not yet \(old.value ?? 5) wickets")
        // The alert gave figures, so the correction gives the right ones.
        case .batterOnFire:
            of({ name in batting.map { "\(name) \($0.runs) off \($0.ballsFaced)" } ?? name }, "figures put right")
        case .bowlerOnFire:
            of({ name in bowling.map { "\(name) \($0.wickets) for \($0.runs)" } ?? name }, "figures put right")
        case .maidenOver: of({ "no maiden for \($0)" }, "no maiden over")
        case .inningsBreak: ["the innings goes on"]
        case .matchResult: ["no result yet"]
        case .closeFinish: ["score put right"]
        case .targetRevised: ["target not revised"]
        default: ["score put right"]
        }
    }

    /// Whether the frame itself says that the event did not happen: its ball is there without it, and the figures
    /// agree. Otherwise a second frame has to confirm it.
    static func isCertain(_ old: CooldownFilter.Announced, in snapshot: MatchSnapshot) -> Bool {
        guard let innings = snapshot.innings.first(where: { $0.number == old.innings }),
            let ball = innings.balls.first(where: { $0.id == old.ballID && $0.label == old.ball })
        else { return false }
        let row = innings.batting.first { $0.playerID == old.player }
        switch old.kind {
        case .wicket:
            return row.map { $0.dismissal == nil } == true && !innings.balls.contains { $0.outID == old.player }
        case .milestone: return row.map { $0.runs < old.value ?? 50 } == true
        // The ball has no wicket, and the rows have as many batters out as the balls.
        case .onHatTrick, .hatTrick, .fiveWickets, .bowlerOnFire:
            let out = Set(innings.balls.compactMap(\.outID))
            return ball.outID == nil && innings.batting.count { $0.dismissal != nil } == out.count
        default: return false
        }
    }
}
