public import Sightscreen

/// Turns a snapshot into what a Lock Screen shows. Pure: the same snapshot gives the same bytes anywhere.
public struct DisplayStateBuilder {
    /// `recentBalls` shows at most this many.
    public static let recentBallsMax = 12

    private let snapshot: MatchSnapshot
    private let situation: MatchSituation
    private let result: String?
    private let state: MatchDisplayState

    /// The content state of `snapshot` with version 0, which the commit fills in.
    ///
    /// - Parameters:
    ///   - lastEvent: the newest key event, or nil.
    ///   - result: the settled result, or nil: a `finished` without one is still shown as live.
    ///   - previous: what was shown before, for a phase that this build does not know.
    public static func contentState(
        of snapshot: MatchSnapshot, lastEvent: ContentState.LastEvent?, result: String?, previous: MatchDisplayState?
    ) -> ContentState {
        DisplayStateBuilder(snapshot, result: result, previous: previous).build(lastEvent)
    }

    private init(_ snapshot: MatchSnapshot, result: String?, previous: MatchDisplayState?) {
        self.snapshot = snapshot
        self.result = result
        situation = MatchSituation(snapshot)
        state = Self.displayState(of: snapshot, isSettled: result != nil, previous: previous)
    }

    static func displayState(
        of snapshot: MatchSnapshot, isSettled: Bool, previous: MatchDisplayState?
    ) -> MatchDisplayState {
        switch snapshot.phase {
        case .notStarted, .delayed, .postponed: .scheduled
        case .cancelled, .abandoned: .abandoned
        case .innings, .lunch, .tea, .dinner, .stumps: .live
        case .inningsBreak: .inningsBreak
        case .interrupted: .suspended
        case .finished: isSettled ? .completed : .live
        case .unknown: previous ?? (snapshot.innings.isEmpty ? .scheduled : .live)
        }
    }

    private func build(_ lastEvent: ContentState.LastEvent?) -> ContentState {
        let current = situation.current
        let side = DisplayText.code((situation.batting ?? snapshot.home).code)
        let score = current.map(Self.score) ?? ""
        let leading = ContentState.CompactLeading(teamAbbr: side, score: score)
        let trailing = ContentState.CompactTrailing(
            overs: (current?.overs ?? Overs(completed: 0, balls: 0)).description,
            runRate: Rates.perOver(current?.runs ?? 0, balls: current?.overs.legalBalls ?? 0))
        let playing = current != nil && (state == .live || state == .suspended) && snapshot.phase != .finished
        let chase = chaseText
        return ContentState(
            version: 0, matchDisplayState: state,
            matchSentiment: Mood(of: snapshot, isSettled: result != nil).sentiment,
            compactLeading: leading, compactTrailing: trailing, minimal: leading,
            expanded: ContentState.Expanded(
                title: "\(DisplayText.code(snapshot.home.code)) v \(DisplayText.code(snapshot.away.code))",
                subtitle: subtitle, innings: snapshot.innings.map(innings),
                batters: playing ? batters : [], bowler: playing ? bowler : nil, recentBalls: recentBalls,
                target: chase.target, requiredRunRate: chase.rate, equation: chase.equation,
                lastEvent: lastEvent, status: status, spoken: spoken(side: side, equation: chase.equation)))
    }

    private var status: String? { StatusText.of(snapshot, result: result) }

    /// "87/6".
    static func score(_ innings: Innings) -> String { "\(innings.runs)/\(innings.wickets)" }

    private func innings(_ innings: Innings) -> ContentState.Innings {
        ContentState.Innings(
            teamAbbr: DisplayText.code(snapshot.team(innings.battingTeamID)?.code ?? ""), score: Self.score(innings),
            overs: innings.overs.description)
    }

    private var subtitle: String {
        let competition = DisplayText.name(snapshot.competitionCode ?? snapshot.competition)
        let round = DisplayText.name(Self.round(snapshot.round))
        return competition.isEmpty ? round : round.isEmpty ? competition : "\(competition) · \(round)"
    }

    /// "36th Match" reads "Match 36"; any other round is shown as it comes.
    static func round(_ round: String) -> String {
        let words = round.split(separator: " ")
        guard words.count == 2, words[1] == "Match" else { return round }
        let digits = words[0].prefix { $0.isASCII && $0.isNumber }
        guard !digits.isEmpty, ["st", "nd", "rd", "th"].contains(words[0].dropFirst(digits.count)) else { return round }
        return "Match \(digits)"
    }

    private var batters: [ContentState.Batter] {
        guard let current = situation.current else { return [] }
        let crease = Crease(current)
        let pair = [(crease.striker, true), (crease.nonStriker, false)]
        // In batting order, so that the two lines do not jump with every single.
        return pair.compactMap { line, onStrike in line.map { ($0, onStrike) } }
            .sorted { left, right in
                let order = current.batting
                return order.firstIndex(of: left.0) ?? 0 < order.firstIndex(of: right.0) ?? 0
            }
            .map { line, onStrike in
                ContentState.Batter(
                    // Of a batter nobody names, the place in the order is known.
                    name: name(line.playerID)
                        ?? "Batter \((current.batting.firstIndex { $0.playerID == line.playerID } ?? 0) + 1)",
                    score: "\(line.runs) (\(line.ballsFaced))",
                    strikeRate: Rates.strike(line.runs, balls: line.ballsFaced), onStrike: onStrike)
            }
    }

    private var bowler: ContentState.Bowler? {
        guard let current = situation.current, let last = current.balls.last,
            let line = current.bowling.first(where: { $0.playerID == last.bowlerID })
        else { return nil }
        return ContentState.Bowler(
            name: name(line.playerID) ?? "Bowler",
            figures: "\(line.overs)-\(line.maidens)-\(line.runs)-\(line.wickets)",
            economy: Rates.perOver(line.runs, balls: line.overs.legalBalls))
    }

    private var recentBalls: [String] {
        (situation.current?.balls.suffix(Self.recentBallsMax) ?? []).map(BallSymbol.of)
    }

    private var chaseText: (target: String?, rate: String?, equation: String?) {
        guard state == .live || state == .inningsBreak || state == .suspended else {
            return (state == .completed ? situation.chase.map { String($0.target) } : nil, nil, nil)
        }
        if snapshot.phase == .finished { return (situation.chase.map { String($0.target) }, nil, nil) }
        guard let chase = situation.chase else { return (nil, nil, leadText) }
        let target = String(chase.target)
        let code = DisplayText.code(chase.team.code)
        guard chase.need > 0 else { return (target, nil, nil) }
        guard let left = chase.ballsLeft else { return (target, nil, "\(code) need \(chase.need) to win") }
        guard left > 0, chase.wicketsLeft > 0 else { return (target, nil, nil) }
        return (target, Rates.perOver(chase.need, balls: left), "\(code) need \(chase.need) off \(left)")
    }

    private var leadText: String? {
        guard let lead = situation.lead, let batting = situation.batting else { return nil }
        let code = DisplayText.code(batting.code)
        if lead == 0 { return "Scores level" }
        if lead > 0 { return "\(code) lead by \(lead)" }
        return situation.followsOn ? "\(code) follow on, trail by \(-lead)" : "\(code) trail by \(-lead)"
    }

    private func name(_ player: Int64) -> String? { snapshot.players[player].flatMap { PlayerName($0).full } }

    /// The most important sentence first: the push may keep only that one.
    private func spoken(side: String, equation: String?) -> String? {
        guard let current = situation.current else { return status.map { $0 + "." } }
        let isAllOut = current.wickets >= situation.wicketsAllowed
        let wickets = isAllOut ? "all out" : "for \(current.wickets)"
        var sentences = ["\(side) \(current.runs) \(wickets) after \(current.overs) overs"]
        if let equation {
            let left = situation.chase?.ballsLeft
            sentences.append(left.map { "\(equation) \($0 == 1 ? "ball" : "balls")" } ?? equation)
        }
        if let status { sentences.append(status) }
        return sentences.joined(separator: ". ") + "."
    }
}
