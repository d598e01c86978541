import Cricket
import SightscreenModels

/// Makes one alert of everything that is announced at once. The key event is the title; the body says how it came
/// about, names the other events and says what is needed, and repeats nothing of the title.
enum AlertComposer {
    /// The longest title that a Lock Screen and a Watch show without cutting it, in characters.
    static let titleMax = 34
    static let bodyMax = 140

    /// An event with its words.
    struct Announcement: Codable, Sendable, Equatable {
        var event: MatchEvent
        var words: AlertWords
    }

    /// The announcements with the most important first; of two equally important ones the later comes first.
    static func ordered(_ told: [Announcement]) -> [Announcement] {
        told.enumerated().sorted { ($0.element.words.rank, -$0.offset) < ($1.element.words.rank, -$1.offset) }
            .map(\.element)
    }

    /// The alert for `ordered`, whose first is the key event; nil when it is empty. `at` is when the newest event
    /// happened, in seconds since 1970.
    static func alert(for ordered: [Announcement], state: ContentState, at: Int) -> MatchAlert? {
        guard let key = ordered.first else { return nil }
        let title = key.words.titles.first { $0.count <= titleMax } ?? key.words.titles.last ?? key.words.mention
        var mentions: [String] = []
        for other in ordered.dropFirst() where !mentions.contains(other.words.mention) {
            // A hat-trick names its wickets itself.
            if other.event.kind == .wicket, other.event.ballID == key.event.ballID, key.words.detailHasWicket == true {
                continue
            }
            mentions.append(other.words.mention)
        }
        return MatchAlert(
            title: DisplayText.line(title, limit: titleMax),
            body: body(
                [key.words.detail].compactMap { $0 }, mentions: mentions,
                ending: ending(key, title: title, state: state), state: state),
            kind: key.event.kind, value: key.event.value, sound: ordered.contains(where: \.words.sound),
            isKey: ordered.contains(where: \.words.isKey), eventAt: at)
    }

    // MARK: - The body

    /// Joins the parts of a body. Mentions go in as far as there is room beside the rest, which is never cut for them.
    private static func body(
        _ first: [String], mentions: [String], ending: [String], state: ContentState
    ) -> String {
        // A part that another part contains is left out: "ENG need 15" beside "ENG need 15 off 6".
        let news = (first + mentions + ending).filter { part in
            !(first + mentions + ending).contains { $0 != part && $0.contains(part) }
        }
        let (first, mentions, ending) = (
            first.filter(news.contains), mentions.filter(news.contains), ending.filter(news.contains)
        )
        func joined(_ mentioned: Int) -> String {
            let left = mentions.count - mentioned
            let more = left > 0 ? ["and \(left) more"] : []
            return (first + mentions.prefix(mentioned).map(\.sentence) + more + ending).joined(separator: " · ")
        }
        let mentioned = (0...mentions.count).last { joined($0).count <= bodyMax } ?? 0
        let text = joined(mentioned)
        guard text.isEmpty else { return DisplayText.line(text, limit: bodyMax) }
        // A body is never empty.
        return DisplayText.line(
            [state.expanded.title, state.expanded.subtitle].filter { !$0.isEmpty }.joined(separator: " · "),
            limit: bodyMax)
    }

    private static func ending(_ key: Announcement, title: String, state: ContentState) -> [String] {
        switch key.event.kind {
        case .matchResult: return totals(state).map { [$0] } ?? []
        case .inningsBreak: return afterInnings(title, state)
        default: break
        }
        guard key.words.takesScore, !state.compactLeading.score.isEmpty else { return [] }
        // The score shown is that of the newest innings.
        guard (key.event.innings ?? .max) >= state.expanded.innings.count else { return [] }
        return inPlay(title, state)
    }

    /// The state of play for the body: "KKR need 38 off 19", "16.4 overs", "Super over", or "KKR 87/6 (12.3)" where the
    /// title has no score.
    private static func inPlay(_ title: String, _ state: ContentState) -> [String] {
        let status = state.expanded.status.flatMap { $0.hasSuffix("uper over") ? $0 : nil }
        let equation = state.expanded.equation.flatMap { isSaid($0, in: title) ? nil : $0 }
        let overs = state.compactTrailing.overs
        let score = scoreText(state)
        let place =
            title.contains(score)
            ? (equation == nil ? "\(overs) \(overs.contains(".") ? "overs" : "balls")" : nil) : "\(score) (\(overs))"
        return [status, place, equation].compactMap { $0 }
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
        let rate = state.expanded.requiredRunRate.map { ", \($0) an over" } ?? ""
        return ["Off \(EventText.count(balls, "ball"))\(rate)"]
    }

    /// Both sides' totals: "RR 217/5 (20.0) · KKR 210 (19.4)"; with several innings a side "ENG 446 · PAK 74 & 147".
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

extension String {
    /// The text with a capital in front: "fifty for Iyer" → "Fifty for Iyer".
    fileprivate var sentence: String { prefix(1).uppercased() + dropFirst() }
}
