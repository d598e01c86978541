import SightscreenModels

/// A content state as the Lock Screen lays it out, for a terminal. It formats nothing: all texts come ready.
struct LockScreenCard {
    /// Columns for text, and of the whole card.
    static let width = 72
    static let outerWidth = width + 4

    let state: ContentState

    var lines: [String] {
        let expanded = state.expanded
        var rows = [Self.ends(expanded.title, expanded.subtitle)]
        for innings in expanded.innings.suffix(2) {
            let isBatting = innings == expanded.innings.last && state.matchDisplayState == .live
            rows.append("\(isBatting ? "▸" : " ") \(innings.teamAbbr) \(innings.score) (\(innings.overs))")
        }
        if expanded.innings.isEmpty { rows.append("  \(state.compactLeading.teamAbbr)") }
        let batters = expanded.batters.map { "\($0.name)\($0.onStrike ? "*" : "") \($0.score)" }.joined(
            separator: "   ")
        if !batters.isEmpty { rows.append(batters) }
        let bowler = expanded.bowler.map { "\($0.name) \($0.figures)" } ?? ""
        let balls = expanded.recentBalls.joined(separator: " ")
        if !bowler.isEmpty || !balls.isEmpty { rows.append(Self.ends(bowler, balls)) }
        let chase = [expanded.equation, expanded.requiredRunRate.map { "RRR \($0)" }].compactMap { $0 }
        let rate = state.compactTrailing.runRate.isEmpty ? "" : "CRR \(state.compactTrailing.runRate)"
        if !rate.isEmpty || !chase.isEmpty { rows.append(Self.ends(chase.joined(separator: " · "), rate)) }
        if let status = expanded.status { rows.append(status) }
        if let event = expanded.lastEvent, event.text != expanded.status { rows.append(event.text) }
        let top = "╭" + String(repeating: "─", count: Self.width + 2) + "╮"
        let bottom = "╰" + String(repeating: "─", count: Self.width + 2) + "╯"
        return [top] + rows.map { "│ \(Self.fitted($0)) │" } + [bottom]
    }

    /// The shortest: the score, and why nothing moves.
    var score: String {
        let expanded = state.expanded
        guard let innings = expanded.innings.last else { return expanded.status ?? "before play" }
        let score = "\(innings.teamAbbr) \(innings.score) (\(innings.overs))"
        return expanded.status.map { "\(score) | \($0)" } ?? score
    }

    /// One line for a log: score, the two batters, the last balls.
    var summary: String {
        let expanded = state.expanded
        guard let innings = expanded.innings.last else {
            return "\(expanded.title)  \(expanded.status ?? "before play")"
        }
        let batters = expanded.batters.map { "\($0.name)\($0.onStrike ? "*" : "") \($0.score)" }.joined(separator: ", ")
        let balls = expanded.recentBalls.suffix(6).joined(separator: " ")
        return [
            "\(innings.teamAbbr) \(innings.score) (\(innings.overs))", batters, expanded.equation ?? "", balls,
            expanded.status ?? "",
        ].filter { !$0.isEmpty }.joined(separator: " | ")
    }

    private static func ends(_ left: String, _ right: String) -> String {
        let gap = max(width - left.count - right.count, 1)
        return left + String(repeating: " ", count: gap) + right
    }

    private static func fitted(_ row: String) -> String {
        row.count > width
            ? row.prefix(width - 1) + "…" : row + String(repeating: " ", count: width - row.count)
    }
}
