public import Cricket
public import SightscreenModels

/// Turns a snapshot into the state that a Lock Screen shows. The builder is pure: the same snapshot gives the same
/// bytes on any machine.
public struct DisplayStateBuilder {
    /// The greatest number of entries of `recentBalls`, the marks between overs included.
    public static let recentBallsMax = 12

    private let snapshot: MatchSnapshot
    private let situation: MatchSituation
    private let names: [Int64: String]
    private let result: String?
    private let state: MatchDisplayState

    /// The content state of `snapshot` with version 0, which the commit fills in.
    ///
    /// - Parameters:
    ///   - lastEvent: the newest key event, or nil.
    ///   - result: the settled result, or nil: a `finished` match without one is still shown as live.
    ///   - previous: the state shown before, for a phase that this build does not know.
    ///   - session: the day and session of a match over several days, where they are known.
    public static func contentState(
        of snapshot: MatchSnapshot, lastEvent: ContentState.LastEvent?, result: String?, previous: MatchDisplayState?,
        session: String? = nil
    ) -> ContentState {
        DisplayStateBuilder(snapshot, result: result, previous: previous).build(lastEvent, session: session)
    }

    private init(_ snapshot: MatchSnapshot, result: String?, previous: MatchDisplayState?) {
        self.snapshot = snapshot
        self.result = result
        situation = MatchSituation(snapshot)
        names = PlayerName.all(in: snapshot)
        state = Self.displayState(of: snapshot, isSettled: result != nil, previous: previous)
    }

    static func displayState(
        of snapshot: MatchSnapshot, isSettled: Bool, previous: MatchDisplayState?
    ) -> MatchDisplayState {
        switch snapshot.phase {
        case .notStarted, .delayed, .postponed: .scheduled
        case .cancelled, .abandoned: .abandoned
        // The runs may decide a match that the provider has stopped reporting.
        case .innings, .lunch, .tea, .dinner, .stumps: isSettled ? .completed : .live
        case .inningsBreak: isSettled ? .completed : .inningsBreak
        case .interrupted: .suspended
        case .finished: isSettled ? .completed : .live
        case .unknown: isSettled ? .completed : previous ?? (snapshot.innings.isEmpty ? .scheduled : .live)
        }
    }

    private func build(_ lastEvent: ContentState.LastEvent?, session: String?) -> ContentState {
        let current = situation.current
        let side = DisplayText.code((situation.batting ?? snapshot.home).code)
        let score = current.map { InningsScore($0).text } ?? ""
        let leading = ContentState.CompactLeading(teamAbbr: side, score: score)
        let trailing = ContentState.CompactTrailing(
            overs: (current?.overs ?? Overs(legalBalls: 0, ballsPerOver: snapshot.ballsPerOver)).description,
            runRate: Rates.perOver(current?.runs ?? 0, balls: current?.overs.legalBalls ?? 0))
        let playing = current != nil && (state == .live || state == .suspended) && snapshot.phase != .finished
        let crease = current.flatMap { playing ? Crease($0) : nil }
        let chase = chaseText
        return ContentState(
            version: 0, matchDisplayState: state,
            matchSentiment: Closeness(of: snapshot, isSettled: result != nil).sentiment,
            compactLeading: leading, compactTrailing: trailing, minimal: leading,
            expanded: ContentState.Expanded(
                title: "\(DisplayText.code(snapshot.home.code)) v \(DisplayText.code(snapshot.away.code))",
                subtitle: subtitle,
                innings: snapshot.innings.filter { !InningsEnd.isForfeited($0, in: snapshot) }.map(innings),
                batters: crease.map(batters) ?? [], bowler: playing ? bowler : nil,
                recentBalls: current.map { BallSymbol.recent(Self.recentBallsMax, of: $0) } ?? [],
                target: chase.target, requiredRunRate: chase.rate, equation: chase.equation,
                lastEvent: playing ? retirement ?? lastEvent : lastEvent,
                lastWicket: playing ? lastWicket : nil, partnership: crease.flatMap(partnership), session: session,
                outcome: result.map { ResultNote.outcome($0, in: snapshot) }, status: status))
    }

    private var status: String? { StatusText.of(snapshot, result: result) }

    private func innings(_ innings: Innings) -> ContentState.Innings {
        let score = InningsScore(innings)
        return ContentState.Innings(
            teamAbbr: DisplayText.code(snapshot.team(innings.battingTeamID)?.code ?? ""), score: score.text,
            overs: innings.overs.description, allOut: score.isAllOut ? true : nil)
    }

    private var lastWicket: String? {
        guard let current = situation.current, let wicket = LastWicket(current) else { return nil }
        return DisplayText.line(wicket.text(name: batterName(wicket.line, in: current)))
    }

    /// "Inskip retired hurt 20 (15)", until a ball is bowled without the batter: no event tells that somebody left.
    private var retirement: ContentState.LastEvent? {
        guard let current = situation.current, let line = Crease.retired(in: current) else { return nil }
        let text = "\(batterName(line, in: current)) retired hurt \(line.runs) (\(line.ballsFaced))"
        return ContentState.LastEvent(kind: .newBatter, ball: current.balls.last?.label, text: DisplayText.line(text))
    }

    private func partnership(_ crease: Crease) -> String? {
        situation.current.flatMap { Partnership($0, crease: crease) }?.text
    }

    private var subtitle: String {
        let competition = DisplayText.name(snapshot.competitionCode ?? snapshot.competition)
        let round = DisplayText.name(Self.round(snapshot.round))
        return competition.isEmpty ? round : round.isEmpty ? competition : "\(competition) · \(round)"
    }

    /// Turns "36th Match" into "Match 36"; any other round is shown as it comes.
    static func round(_ round: String) -> String {
        let words = round.split(separator: " ")
        guard words.count == 2, words[1] == "Match" else { return round }
        let digits = words[0].prefix { $0.isASCII && $0.isNumber }
        guard !digits.isEmpty, ["st", "nd", "rd", "th"].contains(words[0].dropFirst(digits.count)) else { return round }
        return "Match \(digits)"
    }

    private func batters(_ crease: Crease) -> [ContentState.Batter] {
        guard let current = situation.current else { return [] }
        let pair = [(crease.striker, crease.isStrikerKnown), (crease.nonStriker, false)]
        // The batting order keeps the two lines from jumping with every single.
        return pair.compactMap { line, onStrike in line.map { ($0, onStrike) } }
            .sorted { left, right in
                let order = current.batting
                return order.firstIndex(of: left.0) ?? 0 < order.firstIndex(of: right.0) ?? 0
            }
            .map { line, onStrike in
                ContentState.Batter(
                    name: batterName(line, in: current), score: "\(line.runs) (\(line.ballsFaced))",
                    strikeRate: Rates.strike(line.runs, balls: line.ballsFaced), onStrike: onStrike)
            }
    }

    /// The batter's name, or the place in the batting order where the name is not known.
    private func batterName(_ line: BattingLine, in innings: Innings) -> String {
        names[line.playerID]
            ?? "Batter \((innings.batting.firstIndex { $0.playerID == line.playerID } ?? 0) + 1)"
    }

    private var bowler: ContentState.Bowler? {
        guard let current = situation.current, let last = current.balls.last,
            let line = current.bowling.first(where: { $0.playerID == last.bowlerID })
        else { return nil }
        return ContentState.Bowler(
            name: names[line.playerID] ?? "Bowler",
            figures: "\(line.overs)-\(line.maidens)-\(line.runs)-\(line.wickets)",
            economy: Rates.perOver(line.runs, balls: line.overs.legalBalls))
    }

    private var chaseText: (target: String?, rate: String?, equation: String?) {
        guard state == .live || state == .inningsBreak || state == .suspended else {
            return (state == .completed ? situation.chase.map { String($0.target) } : nil, nil, nil)
        }
        guard let chase = situation.chase else { return (nil, nil, leadText) }
        let target = String(chase.target)
        let code = DisplayText.code(chase.team.code)
        guard chase.need > 0 else { return (target, nil, nil) }
        if chase.wicketsLeft == 0 || chase.ballsLeft == 0 {
            // The chase is over, whether or not the provider has said so. Once it has, the status says "Scores level".
            let level = snapshot.phase == .finished ? nil : "Scores level"
            return (target, nil, chase.need == 1 ? level : "\(code) fall \(chase.need - 1) short")
        }
        // A chase that the runs leave open needs nothing any more.
        if snapshot.phase == .finished { return (target, nil, nil) }
        guard let left = chase.ballsLeft else { return (target, nil, "\(code) need \(chase.need) to win") }
        return (target, Rates.perOver(chase.need, balls: left), "\(code) need \(chase.need) off \(left)")
    }

    private var leadText: String? {
        guard let lead = situation.lead, let batting = situation.batting else { return nil }
        let code = DisplayText.code(batting.code)
        if lead == 0 { return "Scores level" }
        if lead > 0 { return "\(code) lead by \(lead)" }
        if case .won(let winner, let margin) = RunsResult(snapshot), winner != batting.id {
            return "\(code) lose by \(margin)"
        }
        return situation.followsOn ? "\(code) follow on, trail by \(-lead)" : "\(code) trail by \(-lead)"
    }
}
