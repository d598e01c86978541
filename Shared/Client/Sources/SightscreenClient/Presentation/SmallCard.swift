import SightscreenModels

/// The card in the presentations with little room: Apple Watch and CarPlay, the compact island and the minimal one.
struct SmallCard {
    private let facts: MatchFacts
    private let details: ContentState.Expanded

    init(_ facts: MatchFacts) {
        self.facts = facts
        details = facts.state.expanded
    }

    /// The rows' importance. When there are too many, those with the lowest value are left out first. The last event is
    /// soon old, while the equation stays valid; and out-of-date content never looks current.
    private enum Keep {
        static let competition = 10, moreNews = 20, moreHeading = 30, news = 90, need = 92, stale = 94, heading = 96,
            score = 100
    }

    // MARK: - Watch and CarPlay

    var small: CardLayout {
        CardLayout(.small) { lines in
            var rows: [RowDraft] = []
            if let heading = facts.heading { rows += self.heading(heading, lines: lines.heading) }
            if facts.isStale {
                let text = PieceDraft(
                    .wait, ["Waiting for an update"], [11], .semibold, .wait, keep: 90, mayGo: false, mayBeCut: true)
                rows.append(RowDraft(leading: [text], gap: 1, keep: Keep.stale))
            }
            if facts.heading?.isResult ?? false {
                rows += bothScores
            } else {
                rows.append(score(facts.heading == nil ? 20 : 17))
                rows += need
            }
            return rows + news(lines.news) + competition
        }
    }

    private func news(_ lines: Int) -> [RowDraft] {
        guard let news = facts.news else { return [] }
        let width = CardPlace.of(.small).contentWidth
        let texts = CardLayout.wrapped(news.short, lines: lines, size: 12, weight: .regular, width: width)
        return texts.enumerated().map { index, line in
            let text = PieceDraft(
                .lastEvent, [line], [12, 11], .regular, news.ink, keep: 50, mayGo: false, mayBeCut: true)
            return RowDraft(leading: [text], gap: index == 0 ? 1 : 0, keep: index == 0 ? Keep.news : Keep.moreNews)
        }
    }

    private var competition: [RowDraft] {
        guard !facts.hasBegun, facts.heading == nil else { return [] }
        let text = PieceDraft(
            .competition, [details.subtitle], [11], .regular, .secondary, keep: 50, mayGo: false, mayBeCut: true)
        return [RowDraft(leading: [text], gap: 2, keep: Keep.competition)]
    }

    /// Returns the heading in one line, shortened if necessary, otherwise in two lines.
    private func heading(_ heading: MatchFacts.Heading, lines: Int) -> [RowDraft] {
        let mark = heading.winner.map { PieceDraft(team: $0, size: 11, keep: 100) }
        let indent = mark.map { $0.width($0.options[0]) + $0.space } ?? 0
        let width = CardPlace.of(.small).contentWidth
        let words = facts.sides.reduce(heading.text) {
            $0.replacing(facts.attributes.name(of: $1.abbr), with: $1.abbr)
        }
        var forms = Self.forms(words)
        // After the winner's mark, "by 7 runs" is enough.
        if mark != nil { forms += forms.filter { $0.hasPrefix("won by ") }.map { String($0.dropFirst(4)) } }
        var text = PieceDraft(
            .heading, forms, [14], .bold, heading.isResult ? .primary : .wait, keep: 90, mayGo: false, mayBeCut: true)
        // In the heading, smaller type comes before fewer words.
        text.options = forms.flatMap { form in [14, 13, 12, 11].map { .init(text: form, size: $0) } }
        if text.options.contains(where: { text.width($0) <= width - indent }) {
            return [RowDraft(leading: [mark, text].compactMap { $0 }, keep: Keep.heading)]
        }
        let wrapped = CardLayout.wrapped(
            words, lines: lines, size: 12, weight: .bold, width: width, first: indent)
        return wrapped.enumerated().map { index, line in
            text.options = [.init(text: line, size: 12)]
            return RowDraft(
                leading: index == 0 ? [mark, text].compactMap { $0 } : [text],
                keep: index == 0 ? Keep.heading : Keep.moreHeading)
        }
    }

    private func score(_ size: Double) -> RowDraft {
        guard facts.hasBegun, let side = facts.batting else {
            let marks = facts.sides.prefix(2).map { PieceDraft(team: $0.abbr, size: 12, keep: 90) }
            var trailing: [PieceDraft] = []
            if facts.state.matchDisplayState == .scheduled, facts.attributes.startsAt > 0 {
                trailing = [PieceDraft(time: facts.attributes.startsAt, 12, .semibold, .secondary, keep: 80)]
            }
            return RowDraft(leading: Array(marks), trailing: trailing, gap: 1, isOnBaseline: false, keep: Keep.score)
        }
        var score = PieceDraft(
            .score, [side.total], [size, size - 2, size - 4, max(size - 6, 12)], .bold, keep: 100, mayGo: false)
        // The completed innings is left out before the current one gets small.
        if side.scores.count > 1 {
            score.options += [size, size - 2, size - 4, size - 6].map { .init(text: side.score, size: $0) }
        }
        var pieces = [PieceDraft(team: side.abbr, size: 11, keep: 70), score]
        if side.isAllOut {
            pieces.append(PieceDraft(.allOut, ["all out"], [12, 11], .regular, .secondary, keep: 80, mayGo: false))
        } else if !side.overs.isEmpty {
            pieces.append(PieceDraft(.overs, ["(\(side.overs))"], [12], .regular, .secondary, keep: 40))
        }
        return RowDraft(leading: pieces, gap: 1, keep: Keep.score)
    }

    private var need: [RowDraft] {
        guard facts.hasBegun else { return [] }
        if let equation = facts.equation(beside: facts.batting?.abbr) {
            // These are shorter forms of "PAK follow on, trail by 225" and "KKR need 218 off 120".
            let short = equation.split(separator: ", ").last.map(String.init) ?? equation
            let shorter = short.ranges(of: " off ").first.map { String(short[..<$0.lowerBound]) } ?? short
            let text = PieceDraft(
                .equation, [equation, short, shorter], [14, 13, 12], .semibold, .need, keep: 90, mayGo: false,
                mayBeCut: true)
            return [RowDraft(leading: [text], gap: 1, keep: Keep.need)]
        }
        return []
    }

    /// Both scores beside each other, and in a match of two innings below each other.
    private var bothScores: [RowDraft] {
        guard facts.hasBegun else { return [score(17)] }
        let texts = facts.scored.map { side in
            PieceDraft(
                .score, ["\(side.abbr) \(side.total)", "\(side.abbr) \(side.score)", side.score], [13, 12], .semibold,
                keep: side == facts.sides.first ? 100 : 90, mayGo: false)
        }
        if facts.scored.contains(where: { $0.scores.count > 1 }) {
            return texts.map { RowDraft(leading: [$0], gap: 2, keep: Keep.score) }
        }
        return [
            RowDraft(
                leading: Array(texts.prefix(1)), trailing: Array(texts.dropFirst().prefix(1)), gap: 2, keep: Keep.score)
        ]
    }

    // MARK: - The island

    var compactLeading: CardLayout { island(.compactLeading, second: 15) }

    var minimal: CardLayout { island(.minimal, second: 12) }

    /// Returns the side above its score, and at the end the winner. Type is smaller than 11 points only where a score
    /// or a word would be too wide.
    private func island(_ presentation: Presentation, second: Double) -> CardLayout {
        if let heading = facts.heading, heading.isResult {
            if let winner = heading.winner {
                return pair(presentation, side(winner, 12), plain(["won"], second - 1))
            }
            if presentation == .minimal || facts.scored.count < 2 {
                let words = Self.short(heading.text)
                let size: Double = presentation == .minimal ? 11 : 13
                return pair(presentation, plain([words[0]], size), plain([words.count > 1 ? words[1] : ""], size))
            }
        }
        guard facts.hasBegun, let batting = facts.batting else {
            let names = facts.sides.prefix(2).map { side($0.abbr, 12) }
            return CardLayout(presentation, names.map { RowDraft(leading: [$0], isCentred: true, keep: 90) })
        }
        let own = facts.state.minimal.flatMap {
            presentation == .minimal && !$0.score.hasSuffix("/10") ? $0.score : nil
        }
        let runs = batting.score.prefix { $0 != "/" }
        let sizes = stride(from: second, through: presentation == .minimal ? 9 : 11, by: -1).map { $0 }
        var score = PieceDraft(.score, [own ?? batting.score], sizes, .semibold, keep: 100, mayGo: false)
        if presentation == .minimal {
            score.options += [.init(text: String(runs), size: 11), .init(text: String(runs), size: 8)]
        }
        return pair(presentation, side(batting.abbr, 11), score)
    }

    /// The equation, otherwise the reason why there is no play, otherwise the overs.
    var compactTrailing: CardLayout {
        let presentation = Presentation.compactTrailing
        if let heading = facts.heading {
            if heading.isResult { return result(heading) }
            // Before play, the time of the start says more than the toss.
            let isToss = !facts.hasBegun && facts.state.matchDisplayState == .scheduled && facts.attributes.startsAt > 0
            if !isToss, !facts.isSuperOver || facts.equation == nil {
                return two(presentation, Self.short(heading.text), .wait)
            }
        }
        if facts.hasBegun, let equation = facts.equation(beside: facts.batting?.abbr) {
            let words = Self.balanced(String(equation.split(separator: ", ").last ?? ""))
            return two(presentation, words, .need, role: .equation)
        }
        guard facts.hasBegun else {
            guard facts.attributes.startsAt > 0, facts.state.matchDisplayState == .scheduled else {
                return two(presentation, ["Not", "begun"], .secondary)
            }
            let time = PieceDraft(time: facts.attributes.startsAt, 12, .semibold, .primary, keep: 90)
            return pair(presentation, PieceDraft(.muted, ["starts"], [11], .regular, .secondary, keep: 50), time)
        }
        let overs = facts.batting?.overs ?? facts.state.compactTrailing.overs
        return pair(
            presentation, PieceDraft(.overs, [overs], [15, 13, 11], .semibold, keep: 90, mayGo: false),
            PieceDraft(.muted, [MatchFacts.unit(of: overs).long], [11], .regular, .secondary, keep: 50))
    }

    private func result(_ heading: MatchFacts.Heading) -> CardLayout {
        guard heading.winner != nil, heading.text.hasPrefix("won by ") else {
            return two(
                .compactTrailing,
                Self.balanced(heading.winner == nil ? Self.short(heading.text).joined(separator: " ") : heading.text),
                .primary)
        }
        let margin = String(heading.text.dropFirst("won by ".count))
        if margin.hasPrefix("an innings") {
            let runs = margin.split(separator: " ").first { $0.allSatisfy(\.isNumber) } ?? ""
            return two(.compactTrailing, ["by inns", runs.isEmpty ? "" : "& \(runs)"], .primary)
        }
        let words = margin.split(separator: " ")
        guard words.count >= 2 else { return two(.compactTrailing, ["by", margin], .primary) }
        return two(.compactTrailing, ["by \(words[0])", Self.forms(String(words[1]))[1]], .primary)
    }

    private func two(
        _ presentation: Presentation, _ words: [String], _ ink: CardInk, role: CardPiece.Role = .heading
    ) -> CardLayout {
        let rows = words.prefix(2).filter { !$0.isEmpty }.map { word in
            var row = PieceDraft(role, [word], [13, 12, 11], .semibold, ink, keep: 90, mayGo: false, mayBeCut: true)
            // "128 / off 120" is easier to read than "need 128" in smaller type.
            if word.hasPrefix("need ") { row.options.append(.init(text: String(word.dropFirst(5)), size: 13)) }
            row.options += [10, 9].map { .init(text: word, size: $0) }
            return row
        }
        return CardLayout(presentation, rows.map { RowDraft(leading: [$0], isCentred: true, keep: 90) })
    }

    private func pair(_ presentation: Presentation, _ first: PieceDraft, _ second: PieceDraft) -> CardLayout {
        CardLayout(presentation, [first, second].map { RowDraft(leading: [$0], isCentred: true, keep: 90) })
    }

    private func side(_ abbr: String, _ size: Double) -> PieceDraft {
        PieceDraft(
            .team, [abbr, String(abbr.prefix(5)), String(abbr.prefix(4)), String(abbr.prefix(3))], [size, 11, 8], .bold,
            .teamText(abbr), keep: 90, mayGo: false, mayBeCut: true)
    }

    private func plain(_ texts: [String], _ size: Double) -> PieceDraft {
        PieceDraft(
            .heading, texts, [size, size - 1, size - 2, size - 3, 8], .semibold, keep: 90, mayGo: false, mayBeCut: true)
    }

    // MARK: - Words

    /// Returns a sentence in shorter forms, with the usual abbreviations.
    static func forms(_ text: String) -> [String] {
        let shorter = text.replacing("wickets", with: "wkts").replacing("wicket", with: "wkt")
            .replacing("an innings and", with: "inns &")
        return [text, shorter, shorter.replacing(" runs", with: "")]
    }

    /// Returns a reason in two words.
    static func short(_ text: String) -> [String] {
        let lowered = text.lowercased()
        let known = [
            ("innings break", ["Innings", "break"]), ("super over", ["Super", "over"]), ("stumps", ["Stumps"]),
            ("lunch", ["Lunch"]),
            ("tea", ["Tea"]), ("dinner", ["Dinner"]), ("drinks", ["Drinks"]), ("rain", ["Rain"]),
            ("bad light", ["Bad", "light"]),
            ("wet outfield", ["Wet", "outfield"]), ("toss", ["Toss", "done"]), ("abandoned", ["Aban-", "doned"]),
            ("no result", ["No", "result"]), ("tied", ["Match", "tied"]), ("drawn", ["Match", "drawn"]),
            ("postponed", ["Post-", "poned"]), ("cancelled", ["Called", "off"]), ("delayed", ["Start", "delayed"]),
            ("suspended", ["Play", "stopped"]), ("awaiting", ["Result", "to come"]), ("level", ["Scores", "level"]),
        ]
        let words = Set(lowered.split { !$0.isLetter })
        return known.first { name, _ in name.contains(" ") ? lowered.contains(name) : words.contains(Substring(name)) }?
            .1
            ?? balanced(text)
    }

    /// Returns a sentence in two lines of nearly the same width.
    static func balanced(_ text: String) -> [String] {
        let words = text.split(separator: " ")
        guard words.count > 1 else { return [text] }
        let splits = (1..<words.count).map { count in
            (words.prefix(count).joined(separator: " "), words.dropFirst(count).joined(separator: " "))
        }
        let best = splits.min { max($0.0.count, $0.1.count) < max($1.0.count, $1.1.count) }
        return best.map { [$0.0, $0.1] } ?? [text]
    }
}
