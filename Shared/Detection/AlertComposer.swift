import Sightscreen

/// Makes one alert of all that is to be announced at once: the key event is the title; the body names the others and
/// gives the score and what is needed, and says nothing that the title has said.
enum AlertComposer {
    /// What a Lock Screen shows of a title without cutting it, in characters.
    static let titleMax = 60
    static let bodyMax = 140
    /// So many other events are named.
    static let othersMax = 3

    /// Nil when `events` is empty. `at` is when the newest of them happened, seconds since 1970.
    static func alert(for events: [MatchEvent], state: ContentState, at: Int) -> MatchAlert? {
        let ordered = KeyEventOrder.sorted(events)
        guard let key = ordered.first else { return nil }
        var (title, rest) = split(headline(key))
        var scoreIsTold = false
        // The score shown is that of the newest innings.
        let isOfNewest = (key.innings ?? .max) >= state.expanded.innings.count
        if isUnnamedWicket(key), isOfNewest, let score = score(state) {
            // "WICKET! MI 87/6 (12.3)": nobody knows who is out.
            title = "WICKET! \(score)"
            rest = key.text == "Wicket" ? nil : key.text
            scoreIsTold = true
        }
        title = DisplayText.line(title, limit: titleMax)
        let others = ordered.dropFirst().prefix(othersMax).map { headline($0) }
        return MatchAlert(
            title: title,
            body: body(
                rest.map { [$0] } ?? [], others: others,
                ending: ending(
                    key, title: title, state: state, scoreIsTold: scoreIsTold, isOfNewest: isOfNewest), state: state),
            kind: key.kind, value: key.value, sound: ordered.contains { $0.kind == .wicket },
            isKey: ordered.contains { MatchAlert.isKey($0.kind, value: $0.value) }, eventAt: at)
    }

    /// "WICKET! Rohit Sharma c Kohli b Bumrah 45 (32)"; other sentences have their shout in them.
    static func headline(_ event: MatchEvent) -> String {
        guard event.kind == .wicket else { return event.text }
        return isUnnamedWicket(event) ? "WICKET!" + event.text.dropFirst(6) : "WICKET! \(event.text)"
    }

    private static func isUnnamedWicket(_ event: MatchEvent) -> Bool {
        event.kind == .wicket && (event.text == "Wicket" || event.text.hasPrefix("Wicket for "))
    }

    /// "MI 87/6 (12.3)"; nil before play.
    static func score(_ state: ContentState) -> String? {
        guard !state.compactLeading.score.isEmpty else { return nil }
        return "\(state.compactLeading.teamAbbr) \(state.compactLeading.score) (\(state.compactTrailing.overs))"
    }

    // MARK: - The title

    /// A headline that is too long for a title, cut where a reader would pause: the rest begins the body.
    private static func split(_ headline: String) -> (title: String, rest: String?) {
        guard headline.count > titleMax else { return (headline, nil) }
        for pause in [" with ", " (", ": "] {
            guard let cut = headline.ranges(of: pause).last(where: { headline[..<$0.lowerBound].count <= titleMax })
            else { continue }
            var rest = headline[cut.upperBound...]
            if pause == " (", rest.last == ")" { rest.removeLast() }
            if pause == " with " { return (String(headline[..<cut.lowerBound]), "With \(rest)") }
            return (String(headline[..<cut.lowerBound]), String(rest))
        }
        return (headline, nil)
    }

    // MARK: - The body

    /// The others as far as there is room beside the ending, which is never cut for them.
    private static func body(
        _ first: [String], others: [String], ending: [String], state: ContentState
    ) -> String {
        var parts = first
        for other in others where !parts.contains(other) {
            let all = (parts + [other] + ending).joined(separator: " · ")
            if all.count <= bodyMax { parts.append(other) }
        }
        parts += ending
        // A body is never empty.
        if parts.isEmpty { parts = [state.expanded.title, state.expanded.subtitle].filter { !$0.isEmpty } }
        return DisplayText.line(parts.joined(separator: " · "), limit: bodyMax)
    }

    private static func ending(
        _ key: MatchEvent, title: String, state: ContentState, scoreIsTold: Bool, isOfNewest: Bool
    ) -> [String] {
        switch key.kind {
        case .matchResult: totals(state).map { [$0] } ?? []
        case .inningsBreak: afterInnings(title, state)
        default: isOfNewest ? inPlay(state, scoreIsTold: scoreIsTold).map { [$0] } ?? [] : []
        }
    }

    /// "MI 87/6 (12.3), need 85 off 45", "Super over: MI 5/1 (0.4), need 3 off 2".
    private static func inPlay(_ state: ContentState, scoreIsTold: Bool) -> String? {
        guard let score = score(state) else { return nil }
        let equation = state.expanded.equation
        if scoreIsTold { return equation }
        let status = state.expanded.status ?? ""
        let head = status.hasSuffix("uper over") ? "\(status): \(score)" : score
        guard let equation else { return head }
        let side = "\(state.compactLeading.teamAbbr) "
        return equation.hasPrefix(side)
            ? "\(head), \(equation.dropFirst(side.count))" : "\(head) · \(equation)"
    }

    /// What comes next, when the title has told the score: "Off 120 balls, 10.90 an over", "MI lead by 120".
    private static func afterInnings(_ title: String, _ state: ContentState) -> [String] {
        guard let equation = state.expanded.equation else {
            return state.expanded.status.map { $0 == "Innings break" ? [] : [$0] } ?? []
        }
        // The equation may say what the title has said, and then how many balls there are for it.
        guard let off = equation.ranges(of: " off ").last, title.hasSuffix(equation[..<off.lowerBound]),
            let balls = Int(equation[off.upperBound...])
        else { return [equation] }
        let rate = state.expanded.requiredRunRate.map { ", \($0) an over" } ?? ""
        return ["Off \(EventText.count(balls, "ball"))\(rate)"]
    }

    /// "RR 217/5 (20.0) · KKR 210/10 (19.4)"; with several innings a side "ENG 446/10 · PAK 74/10 & 147/10".
    private static func totals(_ state: ContentState) -> String? {
        let innings = state.expanded.innings
        var sides: [String] = []
        for entry in innings where !sides.contains(entry.teamAbbr) { sides.append(entry.teamAbbr) }
        guard !innings.isEmpty else { return nil }
        if sides.count == innings.count {
            return innings.map { "\($0.teamAbbr) \($0.score) (\($0.overs))" }.joined(separator: " · ")
        }
        return sides.map { side in
            "\(side) \(innings.filter { $0.teamAbbr == side }.map(\.score).joined(separator: " & "))"
        }.joined(separator: " · ")
    }
}
