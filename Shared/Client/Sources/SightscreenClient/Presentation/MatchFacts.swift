public import SightscreenModels

/// The facts that a card shows about a match, in order. It reads content states of all earlier servers.
struct MatchFacts {
    /// One side, with its innings in the shown part of the match: both innings of a longer match, or the super over.
    struct Side: Hashable {
        var abbr: String
        /// The scores of its innings, oldest first: "446", "112/3". Empty before it bats.
        var scores: [String]
        /// The overs of the newest innings.
        var overs: String
        /// Whether the newest innings ended with all out.
        var isAllOut: Bool
        var isBatting: Bool

        var total: String { scores.joined(separator: " & ") }
        var score: String { scores.last ?? "" }
    }

    /// The unit of `overs`: overs have a point ("12.3"); The Hundred is counted in balls ("41").
    static func unit(of overs: String) -> (long: String, short: String) {
        overs.isEmpty || overs.contains(".") ? ("overs", "ov") : ("balls", "b")
    }

    /// The line above the score: the result, or the reason why there is no play.
    struct Heading: Hashable {
        /// The winner, whose name `text` leaves out.
        var winner: String?
        var text: String
        var isResult: Bool
    }

    let state: ContentState
    let attributes: LiveActivityAttributes
    let isStale: Bool
    /// The sides in the order of the card: first the winner, otherwise the followed side, otherwise the batting side.
    let sides: [Side]
    let heading: Heading?
    /// The scores before the super over, while one is shown: "MI 176/6, PBKS 176/9".
    let before: String?

    init(state: ContentState, attributes: LiveActivityAttributes, isStale: Bool) {
        self.state = state
        self.attributes = attributes
        self.isStale = isStale
        heading = Self.heading(state, attributes)
        let innings = state.expanded.innings.map(Self.fit)
        let isSuperOver = Self.isSuperOver(innings, state.expanded)
        let start = isSuperOver ? (innings.count - 1) / 2 * 2 : 0
        let shown = Array(innings[start...])
        before = isSuperOver ? Self.line(innings[..<start], of: start) : nil
        let batting = state.compactLeading.teamAbbr
        let isOver = state.matchDisplayState == .completed || state.matchDisplayState == .abandoned
        var names = [attributes.homeAbbr, attributes.awayAbbr].filter { !$0.isEmpty }
        for abbr in shown.map(\.teamAbbr) + [batting] where !abbr.isEmpty && !names.contains(abbr) {
            // A start's attributes have the provider's name of a side, which may differ from the name in the content
            // state.
            names.append(abbr)
        }
        let known = Set(shown.map(\.teamAbbr)).union([batting])
        if names.count > 2 { names = names.filter(known.contains) }
        var sides = names.map { abbr in
            let own = shown.filter { $0.teamAbbr == abbr }
            return Side(
                abbr: abbr, scores: own.map(\.score).filter { !$0.isEmpty }, overs: own.last?.overs ?? "",
                isAllOut: own.last?.allOut ?? false, isBatting: !isOver && abbr == batting && !shown.isEmpty)
        }
        if innings.isEmpty, !state.compactLeading.score.isEmpty,
            let index = sides.firstIndex(where: { $0.abbr == batting })
        {
            // A state without innings still has the score.
            let only = Self.fit(
                .init(teamAbbr: batting, score: state.compactLeading.score, overs: state.compactTrailing.overs))
            sides[index].scores = [only.score]
            sides[index].overs = only.overs
            sides[index].isAllOut = only.allOut ?? false
        }
        // In a match without a winner, the side that batted first is first.
        let first =
            heading?.winner ?? attributes.followedAbbr
            ?? (heading?.isResult == true ? shown.first?.teamAbbr : shown.isEmpty ? nil : batting)
        if let first, let index = sides.firstIndex(where: { $0.abbr == first }) {
            sides.insert(sides.remove(at: index), at: 0)
        }
        self.sides = sides
    }

    /// The side whose score the island shows: the batting side, and at the end the winner.
    var batting: Side? {
        sides.first(where: \.isBatting) ?? (heading?.isResult == true ? sides.first : nil) ?? scored.last ?? sides.first
    }

    var scored: [Side] { sides.filter { !$0.scores.isEmpty } }

    var hasBegun: Bool { !scored.isEmpty }

    /// Whether play goes on, according to the state.
    var isInPlay: Bool { state.matchDisplayState == .live && (heading == nil || isSuperOver) }

    var isSuperOver: Bool { before != nil }

    /// The equation with the side's name, "MI need 85 off 45". `equation(beside:)` leaves the name out: "need 85 off
    /// 45".
    var equation: String? { state.expanded.equation.flatMap { $0.isEmpty ? nil : $0 } }

    func equation(beside abbr: String?) -> String? {
        guard let equation, let abbr, equation.hasPrefix(abbr + " ") else { return equation }
        return String(equation.dropFirst(abbr.count + 1))
    }

    /// The last event with its ball. After six balls without one, when the newest wicket is not fresh either, it is the
    /// stand of the two batters, and the wicket where there is none. `short` is for places without room for a label.
    var news: (label: String?, text: String, short: String, ink: CardInk)? {
        if let event = state.expanded.lastEvent, !event.text.isEmpty, !isShownElsewhere(event) {
            // The event of an innings' end stays in the next innings, where its ball would be one that is yet to come.
            let ball = event.kind.known == .inningsBreak ? nil : event.ball
            return (ball, event.text, event.text, Self.ink(event.kind.known))
        }
        if let stand { return ("Partnership", stand, "Partnership \(stand)", .secondary) }
        guard let wicket = state.expanded.lastWicket, !wicket.isEmpty else { return nil }
        // In "Pathan 36 (24) · 176/6 (16.1)" the score is left out first.
        let batter = wicket.split(separator: " · ").first.map { String($0) } ?? wicket
        return ("Last wicket", wicket, "Out: \(batter)", .secondary)
    }

    /// The partnership once it has runs, until there is a result: "45 (32)".
    private var stand: String? {
        if heading?.isResult == true { return nil }
        return state.expanded.partnership.flatMap { $0.isEmpty || $0.hasPrefix("0 ") ? nil : $0 }
    }

    /// Whether the card shows the event elsewhere: interruptions and results above the score, the target of an innings
    /// beside it.
    private func isShownElsewhere(_ event: ContentState.LastEvent) -> Bool {
        if event.kind.known == .inningsBreak { return equation != nil }
        guard let heading else { return false }
        switch event.kind.known {
        case .matchResult: return heading.isResult
        case .suspended, .stumps: return true
        default: return event.text == heading.text
        }
    }

    private static func ink(_ kind: EventKind?) -> CardInk {
        switch kind {
        case .wicket, .hatTrick, .onHatTrick, .fiveWickets, .bowlerOnFire: .wicket
        case .milestone, .four, .six, .consecutiveSixes, .nineties, .batterOnFire: .fine
        case .stumps, .targetRevised, .suspended, .correction: .wait
        default: .primary
        }
    }

    // MARK: - Earlier servers

    /// Returns the innings in today's form. Servers before `allOut` sent "171/10".
    private static func fit(_ innings: ContentState.Innings) -> ContentState.Innings {
        guard innings.score.hasSuffix("/10") else { return innings }
        var innings = innings
        innings.score.removeLast(3)
        innings.allOut = true
        return innings
    }

    private static func heading(_ state: ContentState, _ attributes: LiveActivityAttributes) -> Heading? {
        if let outcome = state.expanded.outcome, !outcome.text.isEmpty {
            return Heading(
                winner: outcome.winnerAbbr.flatMap { $0.isEmpty ? nil : $0 }, text: outcome.text, isResult: true)
        }
        guard let status = state.expanded.status, !status.isEmpty else { return nil }
        let isOver = state.matchDisplayState == .completed || state.matchDisplayState == .abandoned
        // Servers before `outcome` sent the winner's whole name in the status.
        for (name, abbr) in [(attributes.homeTeam, attributes.homeAbbr), (attributes.awayTeam, attributes.awayAbbr)]
        where isOver && !name.isEmpty && status.hasPrefix(name + " won ") {
            return Heading(winner: abbr, text: String(status.dropFirst(name.count + 1)), isResult: true)
        }
        return Heading(winner: nil, text: status, isResult: isOver)
    }

    /// Whether the third and later innings are super overs. In a longer match they are ordinary innings.
    private static func isSuperOver(_ innings: [ContentState.Innings], _ expanded: ContentState.Expanded) -> Bool {
        guard innings.count > 2, expanded.session == nil else { return false }
        let isShort = innings[2...].allSatisfy {
            $0.overs == "1.0" || $0.overs.hasPrefix("0.") || Int($0.overs).map { $0 <= 5 } == true
        }
        guard isShort else { return false }
        if expanded.status?.lowercased().contains("super over") ?? false { return true }
        func runs(_ innings: ContentState.Innings) -> Substring { innings.score.prefix { $0 != "/" } }
        return runs(innings[0]) == runs(innings[1])
    }

    private static func line(_ innings: ArraySlice<ContentState.Innings>, of count: Int) -> String {
        // With several super overs, the scores of the match itself are shown.
        innings.prefix(2).map { "\($0.teamAbbr) \($0.score)" }.joined(separator: ", ")
            + (count > 2 ? ", super over tied" : "")
    }
}

extension LiveActivityAttributes {
    /// The short name of the side that the user follows.
    public var followedAbbr: String? {
        guard let followedTeamId else { return nil }
        return followedTeamId == homeTeamId ? homeAbbr : followedTeamId == awayTeamId ? awayAbbr : nil
    }
}
