package import SightscreenModels

/// Composes the body of an alert: what happened, and at its end how the match stands on the card that goes with it.
package enum AlertBody {
    /// Joins the parts. Mentions go in as far as `limit` leaves room beside the rest, and those left out are counted;
    /// the rest is never cut for them.
    package static func text(first: [String], mentions: [String], ending: [String], limit: Int) -> String {
        let all = first + mentions + ending
        // A part that another part contains is left out: "ENG need 15" beside "ENG need 15 off 6".
        func isNews(_ part: String) -> Bool { !all.contains { $0 != part && $0.contains(part) } }
        let first = first.filter(isNews)
        let ending = ending.filter(isNews)
        var named: [String] = []
        for mention in mentions.filter(isNews) where !named.contains(mention) { named.append(mention) }
        func joined(_ count: Int) -> String {
            let more = count < named.count ? ["and \(named.count - count) more"] : []
            return (first + named.prefix(count) + more + ending).filter { !$0.isEmpty }
                .joined(separator: " · ")
        }
        return joined((0...named.count).last { joined($0).count <= limit } ?? 0)
    }

    /// How the match stands on `state`, for the end of a body under `title`.
    package static func ending(of news: MatchAlert.News, under title: String, on state: ContentState) -> [String] {
        switch news.ending {
        case .totals: totals(state).map { [$0] } ?? []
        case .nextInnings: afterInnings(title, state)
        // The score shown is that of the newest innings.
        case .score where !state.compactLeading.score.isEmpty && news.innings ?? .max >= state.expanded.innings.count:
            inPlay(title, state)
        case .score, nil: []
        }
    }

    /// The state of play: "KKR need 38 off 19", "16.4 overs", "Super over", or "KKR 87/6 (12.3)" where the title does
    /// not have this score.
    private static func inPlay(_ title: String, _ state: ContentState) -> [String] {
        let status = state.expanded.status.flatMap { $0.hasSuffix("uper over") ? $0 : nil }
        let equation = state.expanded.equation.flatMap { isSaid($0, in: title) ? nil : $0 }
        let overs = state.compactTrailing.overs
        let score = scoreText(state)
        let hasBegun = overs != "0.0" || state.compactLeading.score != "0/0"
        let place =
            title.contains(score)
            ? (equation == nil ? bowled(overs) : nil) : "\(score) (\(overs))"
        guard hasBegun else { return [status, equation].compactMap { $0 } }
        return [status, place, equation].compactMap { $0 }
    }

    /// "38.2 overs", "39 overs"; in The Hundred, where the card counts balls, "45 balls".
    private static func bowled(_ count: String) -> String {
        guard count.contains(".") else { return "\(count) \(count == "1" ? "ball" : "balls")" }
        let whole = count.hasSuffix(".0") ? String(count.dropLast(2)) : count
        return "\(whole) \(whole == "1" ? "over" : "overs")"
    }

    /// Whether the title already says the equation: "KKR need 11" of "KKR need 11 off 6" may be the title itself.
    private static func isSaid(_ equation: String, in title: String) -> Bool {
        let end = equation.ranges(of: " off ").last?.lowerBound ?? equation.endIndex
        return title.contains(equation[..<end])
    }

    /// The score with its side: "KKR 87/6", "KKR 210 all out".
    private static func scoreText(_ state: ContentState) -> String {
        let isAllOut = state.expanded.innings.last?.allOut == true
        return "\(state.compactLeading.teamAbbr) \(state.compactLeading.score)\(isAllOut ? " all out" : "")"
    }

    /// The start of the next innings, when the title has the score: "Off 120 balls, 10.90 an over", "MI lead by 120".
    private static func afterInnings(_ title: String, _ state: ContentState) -> [String] {
        guard let equation = state.expanded.equation, !title.lowercased().hasSuffix(equation.lowercased()) else {
            return state.expanded.status.map { $0 == "Innings break" ? [] : [$0] } ?? []
        }
        // When the title has said the equation, the body says how many balls there are for it.
        guard let off = equation.ranges(of: " off ").last, title.hasSuffix(equation[..<off.lowerBound]),
            let balls = Int(equation[off.upperBound...])
        else { return [equation] }
        // The Hundred, whose card counts balls, has no rate, and a super over needs none.
        let hasRate = state.compactTrailing.overs.contains(".") && balls > 6
        let rate = hasRate ? state.expanded.requiredRunRate.map { ", \($0) an over" } ?? "" : ""
        // More than twenty overs are thought of in overs.
        return [(balls > 120 ? "In \(overs(balls))" : "Off \(balls) ball\(balls == 1 ? "" : "s")") + rate]
    }

    /// "17 overs", "25.3 overs", "1 over".
    package static func overs(_ balls: Int) -> String {
        let text = balls % 6 == 0 ? "\(balls / 6)" : "\(balls / 6).\(balls % 6)"
        return "\(text) \(balls == 6 ? "over" : "overs")"
    }

    /// Both sides' totals: "RR 217/5 (20.0) · KKR 210 (19.4)"; with several innings a side "ENG 446 · PAK 74 & 147".
    private static func totals(_ state: ContentState) -> String? {
        let innings = state.expanded.innings.filter { $0.overs != "0.0" || $0.score != "0/0" }
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
