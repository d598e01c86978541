import SightscreenModels

/// The text that VoiceOver speaks: first the result or the reason for an interruption, then the score, then the
/// equation and the last event.
enum SpokenMatch {
    static func text(of facts: MatchFacts) -> String {
        var sentences: [String] = []
        if facts.isStale { sentences.append("Waiting for an update") }
        if let heading = facts.heading {
            sentences.append(
                [heading.winner.map { facts.attributes.name(of: $0) }, heading.text].compactMap { $0 }.joined(
                    separator: " "))
        }
        if facts.hasBegun {
            let batting = facts.batting
            for side in [batting].compactMap({ $0 }) + facts.scored.filter({ $0 != batting }) {
                sentences.append(score(of: side, facts))
            }
            if !(facts.heading?.isResult ?? false), let equation = facts.equation {
                sentences.append(spoken(equation: equation))
            }
        } else {
            sentences.append(facts.sides.map { facts.attributes.name(of: $0.abbr) }.joined(separator: " against "))
            if !facts.state.expanded.subtitle.isEmpty { sentences.append(facts.state.expanded.subtitle) }
        }
        if let news = facts.news, news.text != facts.heading?.text {
            let text = news.label == "Partnership" ? spoken(batter: news.text) : news.text
            sentences.append(news.label.map { "\(label($0)): \(text)" } ?? text)
        }
        if facts.isInPlay, let striker = facts.state.expanded.batters.first(where: \.onStrike) {
            sentences.append("\(striker.name) on strike, \(spoken(batter: striker.score))")
        }
        return sentences.map { said($0.hasSuffix(".") ? $0 : $0 + ".") }.joined(separator: " ")
    }

    /// Returns a text with scores such as "87/6" as "87 for 6".
    private static func said(_ text: String) -> String {
        var result = ""
        var rest = text[...]
        while let character = rest.popFirst() {
            let isScore = character == "/" && result.last?.isNumber ?? false && rest.first?.isNumber ?? false
            result += isScore ? " for " : String(character)
        }
        return result
    }

    /// Returns a side's score: "Mumbai Indians 87 for 6 after 12.3 overs", "446 and 112 for 3".
    private static func score(of side: MatchFacts.Side, _ facts: MatchFacts) -> String {
        var innings = side.scores
        if side.isAllOut { innings[innings.count - 1] += " all out" }
        var text = "\(facts.attributes.name(of: side.abbr)) \(innings.joined(separator: " and "))"
        if !side.overs.isEmpty, !side.isAllOut {
            text += " after \(side.overs) \(MatchFacts.unit(of: side.overs).long)"
        }
        return text
    }

    private static func spoken(equation: String) -> String {
        let words = equation.split(separator: " ")
        guard words.count > 2, words[words.count - 2] == "off", let balls = words.last else { return equation }
        return "\(equation) \(balls == "1" ? "ball" : "balls")"
    }

    /// Turns "45 (32)" into "45 off 32".
    private static func spoken(batter: String) -> String {
        batter.replacing(" (", with: " off ").replacing(")", with: "")
    }

    private static func label(_ ball: String) -> String { ball.first?.isNumber ?? false ? "Ball \(ball)" : ball }
}
