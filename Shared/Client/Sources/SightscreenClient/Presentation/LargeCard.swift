import SightscreenModels

/// The card in the presentations with much room: Lock Screen, StandBy and the expanded island.
///
/// From the top it shows the reason for an interruption or the winner; the sides with their scores, and the equation;
/// the batters, the bowler and the last balls; the last event.
struct LargeCard {
    private let facts: MatchFacts
    private let details: ContentState.Expanded

    init(_ facts: MatchFacts) {
        self.facts = facts
        details = facts.state.expanded
    }

    /// The rows' importance. When there are too many, those with the lowest value are left out first.
    private enum Keep {
        static let competition = 10, before = 20, batters = 40, bowling = 45, session = 50, moreNews = 60, other = 70,
            stale = 75
        static let moreHeading = 65, heading = 80, news = 90, score = 100
    }

    private var isResult: Bool { facts.heading?.isResult ?? false }

    /// Whether the batters and the bowler are shown. They are also at lunch and at stumps, because the batters will go
    /// on.
    private var hasPlayers: Bool { !isResult && [.live, .suspended].contains(facts.state.matchDisplayState) }

    // MARK: - Presentations

    var lockScreen: CardLayout {
        let width = CardPlace.of(.lockScreen).contentWidth
        let isTight = facts.heading != nil && hasPlayers
        return CardLayout(.lockScreen) { lines in
            var rows = stale + heading(isResult ? 20 : 15, width: width, lines: lines.heading)
            if facts.hasBegun {
                rows +=
                    isResult ? sides(large: 22, small: 18) : sides(large: isTight ? 24 : 27, small: isTight ? 15 : 16)
                rows += before(13) + session(12)
                if hasPlayers { rows += players(13) }
            } else {
                rows += fixture(16)
            }
            return rows + news(14, width: width, lines: hasPlayers ? 1 : lines.news) + competition(12)
        }
    }

    var standBy: CardLayout {
        let width = CardPlace.of(.standBy).contentWidth
        return CardLayout(.standBy) { lines in
            var rows = stale + heading(isResult ? 22 : 18, width: width, lines: lines.heading)
            if facts.hasBegun {
                let isTight = facts.heading != nil && hasPlayers
                rows += isResult ? sides(large: 26, small: 21) : sides(large: isTight ? 28 : 34, small: 19)
                if hasPlayers { rows += batters(15) }
            } else {
                rows += fixture(20)
            }
            return rows + news(16, width: width, lines: lines.news)
        }
    }

    var expanded: CardLayout {
        let width = CardPlace.of(.expanded).contentWidth
        return CardLayout(.expanded) { lines in
            // The result takes the place of the score.
            var rows = [wonBesideCamera ?? besideCamera] + stale
            if wonBesideCamera == nil { rows += heading(hasPlayers ? 14 : 16, width: width, lines: lines.heading) }
            if facts.hasBegun {
                rows += (isResult ? sides(large: 20, small: 17) : underCamera(16)) + before(13)
                if hasPlayers { rows += players(13) }
            } else {
                rows += announcement
            }
            return rows + news(14, width: width, lines: hasPlayers ? 1 : lines.news)
        }
    }

    // MARK: - Rows

    private var stale: [RowDraft] {
        guard facts.isStale else { return [] }
        let text = PieceDraft(.wait, ["Waiting for an update"], [12], .semibold, .wait, keep: 90, mayGo: false)
        return [RowDraft(leading: [text], gap: 3, keep: Keep.stale)]
    }

    private func heading(_ size: Double, width: Double, lines: Int) -> [RowDraft] {
        guard let heading = facts.heading else { return [] }
        let ink = heading.isResult ? CardInk.primary : .wait
        let mark = heading.winner.map { self.mark($0, isInColumn: true) }
        let indent = mark.map { $0.width($0.options[0]) + 8 } ?? 0
        let texts = CardLayout.wrapped(
            heading.text, lines: lines, size: size, weight: .bold, width: width, first: indent)
        return texts.enumerated().map { index, line in
            var text = PieceDraft(
                .heading, [line], [size, size - 2], .bold, ink, keep: 90, mayGo: false, mayBeCut: true)
            text.space = 8
            let marks = index == 0 ? [mark].compactMap { $0 } : []
            return RowDraft(
                leading: marks + [text], gap: index == 0 ? 3 : 0, keep: index == 0 ? Keep.heading : Keep.moreHeading)
        }
    }

    /// Returns the rows of both sides. The batting side is larger.
    private func sides(large: Double, small: Double) -> [RowDraft] {
        let hero = facts.batting
        return facts.sides.enumerated().map { index, side in
            let isHero = side == hero
            let size = isHero && (!isResult || facts.heading?.winner != nil) ? large : small
            let leading = [mark(side.abbr, isInColumn: true)] + scored(side, size, isHero: isHero)
            return RowDraft(
                leading: leading, trailing: isHero ? requirement(large < 30 ? 15 : 18) : beside(large < 30 ? 13 : 15),
                gap: index == 0 ? 4 : 2, keep: isHero || isResult ? Keep.score : Keep.other)
        }
    }

    /// Returns a side's short name. Names below each other have the same width.
    private func mark(_ abbr: String, isInColumn: Bool = false) -> PieceDraft {
        var mark = PieceDraft(team: abbr, size: 12, keep: 80)
        if isInColumn {
            let marks = facts.sides.map { self.mark($0.abbr) }
            mark.widthMin = marks.map { $0.width($0.options[0]) }.max() ?? 0
        }
        return mark
    }

    private func scored(_ side: MatchFacts.Side, _ size: Double, isHero: Bool) -> [PieceDraft] {
        guard !side.scores.isEmpty else {
            return [PieceDraft(.muted, ["yet to bat"], [min(size, 14)], .regular, .secondary, keep: 30)]
        }
        var score = PieceDraft(
            .score, [side.total], [size, size - 3, max(size - 6, 11)], isHero ? .bold : .semibold, keep: 100,
            mayGo: false)
        if side.scores.count > 1 {
            // Both innings in smaller type come before the newest innings alone in larger type.
            score.options += [size - 9, size - 12].map { .init(text: side.total, size: max($0, 11)) }
            score.options += [size - 3, size - 6].map { .init(text: side.score, size: max($0, 11)) }
        }
        score.space = 8
        var pieces = [score]
        let minor = min(size * 0.6, 15).rounded()
        if side.isAllOut {
            pieces.append(
                PieceDraft(.allOut, ["all out"], [max(minor, 13)], .regular, .secondary, keep: 95, mayGo: false))
        }
        if !side.overs.isEmpty {
            pieces.append(PieceDraft(.overs, ["(\(side.overs))"], [max(minor, 13)], .regular, .secondary, keep: 60))
        }
        return pieces
    }

    /// Returns the pieces right of the score: the equation, otherwise the run rate.
    private func requirement(_ size: Double) -> [PieceDraft] {
        if isResult { return [] }
        if let equation = facts.equation(beside: facts.batting?.abbr) {
            return [
                PieceDraft(
                    .equation, [equation, String(equation.split(separator: ", ").last ?? "")],
                    [size, size - 2, size - 4], .semibold, .need, keep: 90,
                    mayGo: false, mayBeCut: true)
            ]
        }
        return rate("CRR", facts.isInPlay ? facts.state.compactTrailing.runRate : nil, size - 2)
    }

    /// Returns the pieces right of the other side: the required rate, otherwise the partnership at the crease.
    private func beside(_ size: Double) -> [PieceDraft] {
        guard hasPlayers || facts.state.matchDisplayState == .inningsBreak else { return [] }
        if let required = details.requiredRunRate, !required.isEmpty { return rate("RRR", required, size) }
        if let partnership = details.partnership, !partnership.isEmpty, hasPlayers, facts.news?.text != partnership {
            return [
                PieceDraft(
                    .partnership, ["Partnership \(partnership)", "Stand \(partnership)"], [size], .regular, .secondary,
                    keep: 20)
            ]
        }
        return []
    }

    private func rate(_ name: String, _ rate: String?, _ size: Double) -> [PieceDraft] {
        guard let rate, !rate.isEmpty else { return [] }
        return [PieceDraft(.rate, ["\(name) \(rate)"], [size], .regular, .secondary, keep: 20)]
    }

    private func before(_ size: Double) -> [RowDraft] {
        guard let before = facts.before else { return [] }
        let text = PieceDraft(
            .muted, ["Match tied: \(before)", before], [size, size - 2], .regular, .secondary, keep: 50, mayBeCut: true)
        return [RowDraft(leading: [text], gap: 3, keep: Keep.before)]
    }

    private func session(_ size: Double) -> [RowDraft] {
        guard let session = details.session, !session.isEmpty else { return [] }
        let text = PieceDraft(
            .session, [session], [size], .regular, .secondary, keep: 50, mayGo: false, mayBeCut: true)
        return [RowDraft(leading: [text], gap: 2, keep: Keep.session)]
    }

    /// Returns the rows of the players. No bowler is shown during a scheduled interval.
    private func players(_ size: Double) -> [RowDraft] {
        let isBreak = !facts.isInPlay && facts.state.matchDisplayState == .live
        return batters(size) + (isBreak ? [] : bowling(size))
    }

    private func batters(_ size: Double) -> [RowDraft] {
        let pieces = details.batters.prefix(2).enumerated().flatMap { index, batter in
            var name = PieceDraft(
                .batter, ShortName.forms(batter.name), [size], batter.onStrike ? .semibold : .regular,
                keep: batter.onStrike ? 55 : 50,
                mayGo: false, mayBeCut: true)
            name.space = 14
            var mark = PieceDraft(.striker, ["*"], [size], .bold, .fine, keep: 90, mayGo: false)
            mark.space = 1
            let runs = batter.score.prefix { $0 != " " }
            let score = PieceDraft(
                .batter, [batter.score, String(runs)], [size], .semibold, keep: 80, mayGo: false)
            return batter.onStrike ? [name, mark, score] : [name, score]
        }
        return pieces.isEmpty ? [] : [RowDraft(leading: pieces, gap: 6, keep: Keep.batters)]
    }

    private func bowling(_ size: Double) -> [RowDraft] {
        var leading: [PieceDraft] = []
        if let bowler = details.bowler, !bowler.name.isEmpty {
            leading.append(
                PieceDraft(
                    .bowler, ShortName.forms(bowler.name), [size], .regular, .secondary, keep: 20, mayGo: false,
                    mayBeCut: true))
            leading.append(
                PieceDraft(.bowler, [bowler.figures], [size], .semibold, .secondary, keep: 25, mayGo: false))
        }
        let balls = balls(11)
        guard !leading.isEmpty || !balls.isEmpty else { return [] }
        return [RowDraft(leading: leading, trailing: balls, gap: 3, isOnBaseline: false, keep: Keep.bowling)]
    }

    /// Returns the last balls, with the newest at the end. Of twelve balls, those before the last six are left out
    /// first.
    private func balls(_ size: Double) -> [PieceDraft] {
        let shown = Array(details.recentBalls.suffix(14))
        var left = shown.count { $0 != "|" }
        return shown.map { sign in
            let keep = left > 6 ? 20 - left : 60 - left
            if sign != "|" { left -= 1 }
            var piece = PieceDraft(sign == "|" ? .overEnd : .ball, [sign], [size], .semibold, keep: keep)
            piece.space = 3
            if sign == "|" {
                piece.shape = .line
                piece.ink = .secondary
                return piece
            }
            piece.shape = .circle
            switch BallSign(sign) {
            case .wicket: (piece.field, piece.ink) = (.wicketBall, .onWicketBall)
            case .four: (piece.field, piece.ink) = (.four, .onFour)
            case .six: (piece.field, piece.ink) = (.six, .onSix)
            case .other: (piece.field, piece.ink) = (.plainBall, .onPlainBall)
            }
            return piece
        }
    }

    private func news(_ size: Double, width: Double, lines: Int) -> [RowDraft] {
        guard let news = facts.news else { return [] }
        let label = news.label.map { PieceDraft(.overs, [$0], [size - 2], .regular, .secondary, keep: 40) }
        let indent = label.map { $0.width($0.options[0]) + $0.space } ?? 0
        let wrapped = CardLayout.wrapped(
            news.text, lines: lines, size: size, weight: .semibold, width: width, first: indent)
        return wrapped.enumerated().map { index, line in
            let text = PieceDraft(
                .lastEvent, [line], [size, size - 1], .semibold, news.ink, keep: 50, mayGo: false, mayBeCut: true)
            return RowDraft(
                leading: index == 0 ? [label, text].compactMap { $0 } : [text], gap: index == 0 ? 6 : 0,
                keep: index == 0 ? Keep.news : Keep.moreNews)
        }
    }

    private func competition(_ size: Double) -> [RowDraft] {
        let texts = [details.subtitle, facts.attributes.competition].filter { !$0.isEmpty }
        guard !texts.isEmpty else { return [] }
        let text = PieceDraft(
            .competition, Array(texts.prefix(1)), [size], .regular, .secondary, keep: 50, mayGo: false, mayBeCut: true)
        return [RowDraft(leading: [text], gap: 6, keep: Keep.competition)]
    }

    /// Returns both sides with their names, before there is a score.
    private func fixture(_ size: Double) -> [RowDraft] {
        facts.sides.enumerated().map { index, side in
            var name = PieceDraft(
                .team, [facts.attributes.name(of: side.abbr)], [size, size - 2], .semibold, keep: 90, mayGo: false,
                mayBeCut: true)
            name.space = 8
            return RowDraft(
                leading: [mark(side.abbr, isInColumn: true), name], trailing: index == 0 ? start(size - 2) : [],
                gap: index == 0 ? 4 : 5, keep: Keep.score)
        }
    }

    /// The same content in less height.
    private var announcement: [RowDraft] {
        let names = facts.sides.map { facts.attributes.name(of: $0.abbr) }.joined(separator: " v ")
        let text = PieceDraft(
            .team, [names, details.title], [16, 14], .semibold, keep: 90, mayGo: false, mayBeCut: true)
        let competition = competition(13).map { row in
            var row = row
            row.trailing = start(14)
            return row
        }
        return [RowDraft(leading: [text], gap: 4, keep: Keep.score)] + competition
    }

    /// Returns the time of the start, while the match is scheduled.
    private func start(_ size: Double) -> [PieceDraft] {
        guard facts.state.matchDisplayState == .scheduled, facts.attributes.startsAt > 0 else { return [] }
        return [PieceDraft(time: facts.attributes.startsAt, size, .semibold, .secondary, keep: 95)]
    }

    /// The winner left of the camera and the margin right of it; nil when there is no room for the margin.
    private var wonBesideCamera: RowDraft? {
        guard let heading = facts.heading, let winner = heading.winner, heading.text.hasPrefix("won ") else {
            return nil
        }
        let won = PieceDraft(.heading, ["won"], [20, 16], .bold, keep: 100, mayGo: false)
        let margin = PieceDraft(
            .heading, SmallCard.forms(String(heading.text.dropFirst("won ".count))), [16, 14, 12], .semibold, keep: 90,
            mayGo: false)
        let room = (CardPlace.of(.expanded).contentWidth - CardPlace.cameraWidth) / 2
        guard margin.options.contains(where: { margin.width($0) <= room }) else { return nil }
        return besideCamera([mark(winner), won], [margin])
    }

    private func besideCamera(_ leading: [PieceDraft], _ trailing: [PieceDraft]) -> RowDraft {
        RowDraft(leading: leading, trailing: trailing, isOnBaseline: false, isBesideCamera: true, keep: Keep.score)
    }

    /// The score left of the camera, and right of it the overs, or in a side's second innings the equation.
    private var besideCamera: RowDraft {
        guard facts.hasBegun, !isResult, let side = facts.batting else {
            let marks = facts.sides.map { mark($0.abbr) }
            return besideCamera(Array(marks.prefix(1)), Array(marks.dropFirst().prefix(1)))
        }
        var score = PieceDraft(.score, [side.score], [22, 20, 18, 16, 14], .bold, keep: 100, mayGo: false)
        score.space = 6
        let leading = [mark(side.abbr), score]
        if side.scores.count > 1 { return besideCamera(leading, requirement(15)) }
        if side.isAllOut {
            return besideCamera(
                leading, [PieceDraft(.allOut, ["all out"], [15, 13], .semibold, .secondary, keep: 80, mayGo: false)])
        }
        let unit = MatchFacts.unit(of: side.overs)
        let overs = PieceDraft(
            .overs, ["\(side.overs) \(unit.long)", "\(side.overs) \(unit.short)", side.overs], [15, 13], .semibold,
            keep: 80)
        return besideCamera(leading, side.overs.isEmpty ? [] : [overs])
    }

    /// Returns the equation or both innings of the batting side, and the other side's score.
    private func underCamera(_ size: Double) -> [RowDraft] {
        var trailing = facts.sides.filter { $0 != facts.batting }.prefix(1).flatMap { side in
            [mark(side.abbr)] + scored(side, size - 1, isHero: false)
        }
        var leading = requirement(size)
        if let batting = facts.batting, batting.scores.count > 1 { leading = scored(batting, size, isHero: false) }
        if leading.isEmpty { swap(&leading, &trailing) }
        guard !leading.isEmpty else { return [] }
        return [RowDraft(leading: leading, trailing: trailing, gap: 4, keep: Keep.other)]
    }
}

/// The look of a sign of `recentBalls`.
private enum BallSign {
    case wicket, four, six, other

    init(_ sign: String) {
        self = sign.hasPrefix("W") ? .wicket : sign == "4" ? .four : sign == "6" ? .six : .other
    }
}

/// A person's name in shorter and shorter forms.
enum ShortName {
    /// Returns the forms, such as "Rohit Sharma", "R Sharma" and "Sharma". A name that is already initials and a
    /// surname stays as it is while it fits.
    static func forms(_ name: String) -> [String] {
        let words = name.split(separator: " ")
        guard words.count > 1, let last = words.last else { return [name] }
        let first = words[0]
        let isInitials = first.count <= 3 && first.allSatisfy { $0.isUppercase || $0 == "." }
        let initial = isInitials ? String(first) : String(first.prefix(1))
        return [name, initial + " " + words.dropFirst().joined(separator: " "), String(last)]
    }
}

extension LiveActivityAttributes {
    func name(of abbr: String) -> String {
        let name = abbr == homeAbbr ? homeTeam : abbr == awayAbbr ? awayTeam : ""
        return name.isEmpty ? abbr : name
    }
}
