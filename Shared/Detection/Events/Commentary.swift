import Cricket
import SightscreenModels

/// Words alerts as a commentator would: the side and the news in the title, how it came about in the body.
struct Commentary {
    private let snapshot: MatchSnapshot
    private let names: [Int64: String]
    /// The place of each wicket among its side's wickets, by the event's key.
    private var fallen: [String: Int] = [:]
    /// The newest wicket of each ball.
    private var wickets: [Int64: MatchEvent] = [:]

    /// - Parameter standing: the events of the frame, in order.
    init(_ snapshot: MatchSnapshot, standing: [MatchEvent]) {
        self.snapshot = snapshot
        names = PlayerName.all(in: snapshot)
        var counts: [Int: Int] = [:]
        for event in standing where event.kind == .wicket {
            counts[event.innings ?? 0, default: 0] += 1
            fallen[event.key] = counts[event.innings ?? 0]
            if let ball = event.ballID { wickets[ball] = event }
        }
    }

    func words(_ event: MatchEvent) -> AlertWords {
        let told = wording(event)
        let isKey = MatchAlert.isKey(
            event.kind, value: event.value,
            batterRuns: event.kind == .wicket ? row(event)?.runs ?? 0 : nil, fallen: fallen[event.key])
        return AlertWords(
            titles: told.titles.map { DisplayText.line($0) }, detail: told.detail.map { DisplayText.line($0) },
            spare: spare(event), mention: DisplayText.line(told.mention), rank: KeyEventOrder.rank(event) ?? .max,
            sound: KeyEventOrder.sounds(event), isKey: isKey,
            takesScore: ![.matchResult, .inningsBreak, .toss, .stumps].contains(event.kind)
                && !(event.kind == .closeFinish && superOver(event) != nil),
            detailHasWicket: [.onHatTrick, .hatTrick].contains(event.kind))
    }

    /// The name of the event's player, as "Buttler"; nil when the frame does not name the player.
    func name(of event: MatchEvent) -> String? { event.playerID.flatMap { names[$0] } }

    /// "Root 95 (180), Stokes 12 (30)": who is in; of an innings that is over "Top score: Root 154 (260)".
    private func spare(_ event: MatchEvent) -> String? {
        guard let innings = innings(event.innings) ?? snapshot.innings.last else { return nil }
        func line(_ row: BattingLine) -> String? { names[row.playerID].map { "\($0) \(row.runs) (\(row.ballsFaced))" } }
        if event.kind != .inningsBreak, event.kind != .matchResult {
            let crease = Crease(innings)
            let pair = innings.batting.filter { $0 == crease.striker || $0 == crease.nonStriker }.compactMap(line)
            if pair.count == 2 { return pair.joined(separator: ", ") }
        }
        let best = innings.batting.max { $0.runs < $1.runs }
        return best.flatMap { $0.runs > 0 ? line($0) : nil }.map { "Top score: \($0)" }
    }

    // MARK: - By kind

    private typealias Wording = (titles: [String], detail: String?, mention: String)

    private func wording(_ event: MatchEvent) -> Wording {
        switch event.kind {
        case .wicket: wicket(event)
        case .milestone: milestone(event)
        case .fiveWickets, .bowlerOnFire: bowling(event)
        case .batterOnFire: batterOnFire(event)
        case .onHatTrick, .hatTrick: hatTrick(event)
        case .maidenOver: scored(event, maiden(event), detail: nil)
        case .inningsBreak: inningsBreak(event)
        case .matchResult: result(event)
        case .closeFinish: closeFinish(event)
        case .targetRevised: ([event.text, "\(side(event)): target revised"], overs, "target revised")
        case .toss: toss(event)
        case .stumps, .suspended, .resumed: status(event)
        default: scored(event, event.text, detail: nil)
        }
    }

    /// Titles that begin with the score: "RR 183/3: Buttler out for 103". `shorter` are texts for less room.
    private func scored(_ event: MatchEvent, _ news: String, shorter: [String] = [], detail: String?) -> Wording {
        let all = [news] + shorter
        let score = score(of: event.innings)
        return (all.map { "\(score): \($0)" } + all.map { "\(side(event)): \($0)" } + [score], detail, news)
    }

    /// "KKR need 11 off the last over"; a super over is itself the last over and is named instead.
    private func closeFinish(_ event: MatchEvent) -> Wording {
        if let superOver = superOver(event) {
            return (
                ["\(superOver): \(event.text) to win", "\(superOver): \(event.text)", event.text],
                "Off \(snapshot.ballsPerOver) balls",
                event.text
            )
        }
        let last = isHundred ? "last \(snapshot.ballsPerOver) balls" : "last over"
        return (["\(event.text) off the \(last)", event.text, "\(side(event)): \(last)"], nil, event.text)
    }

    private func wicket(_ event: MatchEvent) -> Wording {
        let row = row(event)
        guard let name = name(of: event) else {
            let bowler = event.text.hasPrefix("Wicket for ") ? event.text : "Wicket"
            return scored(event, bowler.lowercasedFirst, shorter: ["wicket"], detail: nil)
        }
        // The text "Buttler c Varun b Cummins 103 (61)" loses the name, which the title has.
        let how = event.text.hasPrefix("\(name) ") ? String(event.text.dropFirst(name.count + 1)) : event.text
        guard let row else { return scored(event, "\(name) out", shorter: ["wicket"], detail: how) }
        let titleSaysHow = row.dismissal?.how == .timedOut || row.dismissal?.how == .retiredOut
        return scored(
            event, Self.fall(of: name, row),
            shorter: (row.runs > 0 ? ["\(name) out for \(row.runs)"] : []) + ["\(name) out", "wicket"],
            detail: titleSaysHow
                ? (row.ballsFaced > 0 ? "\(row.runs) off \(EventText.count(row.ballsFaced, "ball"))" : nil) : how)
    }

    /// "Buttler out for 103"; a rare dismissal is the news itself.
    private static func fall(of name: String, _ row: BattingLine) -> String {
        switch row.dismissal?.how {
        case .timedOut: "\(name) timed out"
        case .retiredOut: "\(name) retired out"
        case .obstructingTheField: "\(name) out, obstruction"
        case .runOut where row.runs == 0: "\(name) out for a duck"
        case _ where row.runs == 0: row.ballsFaced == 1 ? "\(name) out first ball" : "\(name) out for a duck"
        default: "\(name) out for \(row.runs)"
        }
    }

    private func milestone(_ event: MatchEvent) -> Wording {
        let value = event.value ?? 50
        let what =
            switch value {
            case 50: "fifty"
            case 100: "hundred"
            case 200: "double hundred"
            case 300: "triple hundred"
            default: String(value)
            }
        guard let name = name(of: event) else { return scored(event, what, detail: nil) }
        return scored(
            event, "\(what) for \(name)", shorter: ["\(value) for \(name)", what], detail: innings(of: event))
    }

    /// "Off 59 balls, with 9 fours and 5 sixes".
    private func innings(of event: MatchEvent) -> String? {
        let off = event.text.ranges(of: "off ").last.map { "Off \(event.text[$0.upperBound...])" }
        let hits = row(event).map { row in
            [EventText.several(row.fours, "four"), EventText.several(row.sixes, "six")].compactMap { $0 }
        }
        guard let hits, !hits.isEmpty else { return off }
        return [off, "\(off == nil ? "With" : "with") \(hits.joined(separator: " and "))"].compactMap { $0 }
            .joined(separator: ", ")
    }

    /// "Swann takes five", or the figures of a bowler on fire: "Amir 4 for 10". The side in front is the one that bats,
    /// so a title without the bowler's name would credit the wrong side.
    private func bowling(_ event: MatchEvent) -> Wording {
        let isFive = event.kind == .fiveWickets
        let line = line(event)
        let figures = line.map { "\($0.wickets) for \($0.runs) in \($0.overs.counted)" }
        guard let name = name(of: event) else {
            return scored(event, isFive ? "five wickets for a bowler" : "bowler on fire", detail: figures)
        }
        if isFive { return scored(event, "\(name) takes \(event.value == 10 ? "ten" : "five")", detail: figures) }
        guard let line else { return scored(event, "\(name) on fire", detail: nil) }
        return scored(event, "\(name) \(line.wickets) for \(line.runs)", detail: "In \(line.overs.counted)")
    }

    /// "Finch 47 off 23".
    private func batterOnFire(_ event: MatchEvent) -> Wording {
        guard let name = name(of: event) else { return scored(event, "batter on fire", detail: nil) }
        let made = event.text.ranges(of: ": ").last.map { String(event.text[$0.upperBound...]) } ?? "on fire"
        return scored(event, "\(name) \(made)", detail: nil)
    }

    private func hatTrick(_ event: MatchEvent) -> Wording {
        let out = event.text.ranges(of: ": ").last.map { String(event.text[$0.upperBound...]) }
        let before = out?.ranges(of: ", ").last.map { ", after \(out?[..<$0.lowerBound] ?? "")" }
        // For example "VR Iyer st Samson b Chahal 6 (7), after Rana".
        let how = event.ballID.flatMap { wickets[$0]?.text }.map { $0 + (before ?? "") }
        let who = how ?? out.map { "Out: \($0)" }
        guard event.kind == .hatTrick else {
            let news = name(of: event).map { "\($0) on a hat-trick" } ?? "on a hat-trick"
            return scored(event, news, detail: who)
        }
        let count = event.value ?? 3
        let what = count == 3 ? "hat-trick" : "\(EventText.word(count).lowercased()) in a row"
        let news = name(of: event).map { count == 3 ? "hat-trick for \($0)" : "\($0) \(count) in \(count)" } ?? what
        return scored(event, news, detail: who)
    }

    /// "Wicket maiden by Bumrah".
    private func maiden(_ event: MatchEvent) -> String { event.text.lowercasedFirst }

    private func inningsBreak(_ event: MatchEvent) -> Wording {
        let side = side(event)
        guard let innings = innings(event.innings) else { return ([event.text, side], nil, event.text) }
        if InningsEnd.isForfeited(innings, in: snapshot) {
            let what = InningsEnd.forfeit(innings, in: snapshot)
            let chase = MatchSituation(snapshot).chase.map {
                "\(side) forfeit, \(code($0.team)) need \($0.target) to win"
            }
            return ([chase, what, "\(side) forfeit"].compactMap { $0 }, chase == nil ? nil : what, what)
        }
        let head = "\(side) \(InningsEnd.ended(innings, in: snapshot))"
        let chase = InningsEnd.chase(after: innings, in: snapshot).map { "\(head), \($0)" }
        let isTied = innings.number.isMultiple(of: 2)
        return ([chase, head, score(of: event.innings)].compactMap { $0 }, isTied ? nil : superOver(event), head)
    }

    private func result(_ event: MatchEvent) -> Wording {
        let outcome = ResultNote.outcome(event.text, in: snapshot)
        guard let winner = outcome.winnerAbbr else {
            let codes = "\(code(snapshot.home)) v \(code(snapshot.away))"
            let short = ResultNote.short(of: outcome.text)
            let titles = [outcome.text.lowercasedFirst, short, short.replacing("match ", with: "")]
                .map { "\(codes): \($0)" }
            return (titles, titles[0].count <= AlertComposer.titleMax ? nil : outcome.text, outcome.text)
        }
        let bare = outcome.text.prefix { $0 != "(" }.trimmed
        let titles = [outcome.text, bare, "won"].map { "\(winner) \($0)" }
        let chosen = titles.firstIndex { $0.count <= AlertComposer.titleMax } ?? titles.count - 1
        // The detail is what the title lacks of "Match tied (X won the Super Over)" or "X won by 3 wickets with 10
        // balls left".
        let before = event.text.firstIndex(of: "(").map { event.text[..<$0].trimmed } ?? ""
        let tie = before.contains(" won") || before.contains(" beat") ? nil : before
        let left = event.text.ranges(of: " with ").last.map {
            "With \(event.text[$0.upperBound...].prefix { $0 != "(" })"
        }
        let rest = chosen == 0 ? nil : chosen == 1 ? String(outcome.text.dropFirst(bare.count)) : outcome.text
        let detail = [tie, left, rest].compactMap { $0?.trimmed }.filter { !$0.isEmpty }
        return (titles, detail.isEmpty ? nil : detail.joined(separator: " · "), titles[min(chosen, 1)])
    }

    /// "Super over", "2nd super over".
    private func superOver(_ event: MatchEvent) -> String? {
        event.innings.flatMap { StatusText.superOver($0, in: snapshot) }
    }

    private func toss(_ event: MatchEvent) -> Wording {
        let winner = snapshot.tossWinnerID.flatMap(snapshot.team)
        let short = winner.map { "\(code($0)) won the toss" } ?? "Toss"
        let other = winner.map { $0.id == snapshot.home.id ? snapshot.away : snapshot.home }
        let does = snapshot.tossDecision == .bat ? "bowl" : "bat"
        return ([event.text, short], other.map { "\(DisplayText.name($0.name)) \(does) first" }, event.text)
    }

    /// Words rain, its end and stumps: "Rain stops play: KKR 87/2".
    private func status(_ event: MatchEvent) -> Wording {
        let score = score(of: snapshot.innings.last?.number)
        let short = event.kind == .stumps ? "Stumps" : event.kind == .resumed ? "Play resumes" : "Play stopped"
        return (["\(event.text): \(score)", "\(short): \(score)", score], nil, event.text)
    }

    // MARK: - Parts

    private func innings(_ number: Int?) -> Innings? { snapshot.innings.first { $0.number == number } }

    private func row(_ event: MatchEvent) -> BattingLine? {
        innings(event.innings)?.batting.first { $0.playerID == event.playerID }
    }

    private func line(_ event: MatchEvent) -> BowlingLine? {
        innings(event.innings)?.bowling.first { $0.playerID == event.playerID }
    }

    private var isHundred: Bool { snapshot.ballsPerOver != Overs.usualBalls }

    private func code(_ team: Team) -> String { DisplayText.code(team.code) }

    /// The code of the side whose innings it is.
    private func side(_ event: MatchEvent) -> String {
        (innings(event.innings)?.battingTeamID).flatMap(snapshot.team).map(code)
            ?? "\(code(snapshot.home)) v \(code(snapshot.away))"
    }

    /// The score of an innings: "RR 183/3", "KKR 210 all out"; before play both sides.
    private func score(of number: Int?) -> String {
        guard let innings = innings(number), let team = snapshot.team(innings.battingTeamID) else {
            return "\(code(snapshot.home)) v \(code(snapshot.away))"
        }
        return "\(code(team)) \(InningsScore(innings).spelled)"
    }

    /// "In 17 overs", "In 25.3 overs", for a chase that rain has shortened; in The Hundred "In 85 balls".
    private var overs: String? {
        MatchSituation.balls(of: 2, in: snapshot).map { isHundred ? "In \($0) balls" : "In \(AlertBody.overs($0))" }
    }
}

extension StringProtocol {
    /// "Wicket maiden" → "wicket maiden".
    fileprivate var lowercasedFirst: String { prefix(1).lowercased() + dropFirst() }
    fileprivate var trimmed: String {
        var text = Substring(self)
        while text.first == " " { text.removeFirst() }
        while text.last == " " { text.removeLast() }
        return String(text)
    }
}
