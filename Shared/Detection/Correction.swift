import Cricket
import SightscreenModels

/// What those are told who were told of an event that the provider took back.
enum Correction {
    /// The event of the alert: it has the order and the audience of what it takes back, and a key of its own.
    static func told(_ old: CooldownFilter.Announced, at: Int) -> AlertComposer.Told {
        let told = MatchEvent(
            key: old.key, kind: old.kind, value: old.value, innings: old.innings, ball: old.ball, text: "", at: at)
        let texts = texts(old)
        let words = AlertWords(
            titles: texts.map { "Correction: \($0)" } + ["Correction"], detail: nil, mention: texts[0],
            rank: KeyEventOrder.rank(told) ?? .max, sound: false, isKey: old.isKey ?? false, takesScore: true)
        var event = told
        event.key = "correction:\(old.key)@\(old.ballID.map(String.init) ?? old.ball ?? "")"
        event.kind = .correction
        event.value = nil
        event.text = texts[0]
        return AlertComposer.Told(event: event, words: words)
    }

    /// "Buttler not out"; then what to say in less room.
    private static func texts(_ old: CooldownFilter.Announced) -> [String] {
        let name = old.name
        func of(_ named: (String) -> String, _ unnamed: String) -> [String] {
            (name.map { [named($0)] } ?? []) + [unnamed]
        }
        return switch old.kind {
        case .wicket: of({ "\($0) not out" }, "no wicket")
        case .milestone: of({ "\($0) not yet \(old.value ?? 50)" }, "not yet \(old.value ?? 50)")
        case .hatTrick: of({ "no hat-trick for \($0)" }, "no hat-trick")
        case .onHatTrick: of({ "\($0) not on a hat-trick" }, "not on a hat-trick")
        case .fiveWickets: of({ "not yet \(old.value ?? 5) for \($0)" }, "not yet \(old.value ?? 5) wickets")
        case .batterOnFire, .bowlerOnFire: of({ "\($0) not on fire yet" }, "not on fire yet")
        case .maidenOver: of({ "no maiden for \($0)" }, "no maiden over")
        case .inningsBreak: ["the innings goes on"]
        case .matchResult: ["no result yet"]
        case .closeFinish: ["the score was put right"]
        case .targetRevised: ["target not revised"]
        default: ["put right"]
        }
    }

    /// Whether the frame itself says that the event did not happen: its ball is there and brought it not, and the figures
    /// agree. Else a second frame has to.
    static func isCertain(_ old: CooldownFilter.Announced, in snapshot: MatchSnapshot) -> Bool {
        guard let innings = snapshot.innings.first(where: { $0.number == old.innings }),
            innings.balls.contains(where: { $0.id == old.ballID && $0.label == old.ball }),
            let row = innings.batting.first(where: { $0.playerID == old.player })
        else { return false }
        switch old.kind {
        case .wicket: return row.dismissal == nil && !innings.balls.contains { $0.outID == old.player }
        case .milestone: return row.runs < old.value ?? 50
        default: return false
        }
    }
}
