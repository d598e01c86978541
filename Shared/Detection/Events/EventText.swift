import Cricket
import SightscreenModels

/// The sentences a fan reads. A sentence leaves out a name that the frame does not have and says the rest.
struct EventText {
    private let snapshot: MatchSnapshot
    private let names: [Int64: String]

    init(_ snapshot: MatchSnapshot) {
        self.snapshot = snapshot
        names = PlayerName.all(in: snapshot)
    }

    /// "FOUR! Buttler off Narine", "1 run, Narine to Buttler", "2 wides, Narine to Buttler".
    func delivery(_ ball: Ball, _ kind: EventKind) -> String {
        switch kind {
        case .four: Self.joined("FOUR!", duel(ball))
        case .six: Self.joined("SIX!", duel(ball))
        case .extras: [extras(ball), bowledTo(ball)].compactMap { $0 }.joined(separator: ", ")
        default: [runs(ball.runsOffBat), bowledTo(ball)].compactMap { $0 }.joined(separator: ", ")
        }
    }

    /// "Sharma c Kohli b Bumrah 45 (32)"; for a batter without a name "Wicket for Bumrah" or "Wicket".
    func wicket(_ player: Int64, _ dismissal: Dismissal, runs: Int, balls: Int) -> String {
        guard let batter = name(player) else {
            let bowler = dismissal.how.isBowlers ? dismissal.bowlerID.flatMap(name) : nil
            return bowler.map { "Wicket for \($0)" } ?? "Wicket"
        }
        return "\(batter) \(how(dismissal)) \(runs) (\(balls))"
    }

    private func how(_ dismissal: Dismissal) -> String {
        let bowler = dismissal.bowlerID.flatMap(name).map { "b \($0)" }
        let fielder = dismissal.fielderID.flatMap(name)
        return switch dismissal.how {
        case .bowled: bowler ?? "bowled"
        case .caught: caught(dismissal, fielder, bowler)
        case .caughtAndBowled: bowler.map { "c & \($0)" } ?? "caught and bowled"
        case .lbw: Self.joined("lbw", bowler)
        case .stumped: Self.joined(fielder.map { "st \($0)" } ?? "stumped", bowler)
        case .hitWicket: Self.joined("hit wicket", bowler)
        case .runOut: fielder.map { "run out (\($0))" } ?? "run out"
        case .obstructingTheField: "obstructing the field"
        case .timedOut: "timed out"
        case .retiredOut: "retired out"
        case .handledTheBall: "handled the ball"
        case .hitTwice: "hit the ball twice"
        case .unknown: "out"
        }
    }

    /// "c Kohli b Bumrah"; "c sub b Bumrah" for a fielder in no lineup, and "caught off Bumrah" for an unknown one.
    private func caught(_ dismissal: Dismissal, _ fielder: String?, _ bowler: String?) -> String {
        if let fielder { return Self.joined("c \(fielder)", bowler) }
        guard dismissal.fielderID == nil else { return Self.joined("c sub", bowler) }
        return bowler.map { "caught off \($0.dropFirst(2))" } ?? "caught"
    }

    /// "FIFTY! Buttler off 29 balls", "150! Warner off 89 balls".
    func milestone(_ player: Int64, _ value: Int, balls: Int?) -> String {
        let shout =
            switch value {
            case 50: "FIFTY!"
            case 100: "HUNDRED!"
            case 200: "DOUBLE HUNDRED!"
            case 300: "TRIPLE HUNDRED!"
            default: "\(value)!"
            }
        let balls = balls.flatMap { $0 > 0 ? "off \(Self.count($0, "ball"))" : nil }
        return [shout, name(player), balls].compactMap { $0 }.joined(separator: " ")
    }

    /// "Buttler is on 94".
    func nineties(_ player: Int64, runs: Int) -> String { "\(name(player) ?? "The batter") is on \(runs)" }

    /// "Three sixes in a row! David off Rashid".
    func consecutiveSixes(_ ball: Ball, _ count: Int) -> String {
        Self.joined("\(Self.word(count)) sixes in a row!", duel(ball))
    }

    /// "Chahal is on a hat-trick: Iyer, Mavi".
    func onHatTrick(_ bowler: Int64, out: [Int64]) -> String {
        listed(name(bowler).map { "\($0) is on a hat-trick" } ?? "On a hat-trick", out)
    }

    /// "Hat-trick! Chahal: Iyer, Mavi, Cummins".
    func hatTrick(_ bowler: Int64, out: [Int64]) -> String {
        let shout =
            out.count == 3 ? "Hat-trick!" : "\(Self.word(out.count)) in \(Self.word(out.count).lowercased())!"
        guard let name = self.name(bowler) else { return Self.joined(shout, surnames(out)) }
        return listed("\(shout) \(name)", out)
    }

    /// "Buttler is on fire: 31 off 15".
    func batterOnFire(_ player: Int64, runs: Int, balls: Int) -> String {
        "\(name(player) ?? "The batter") is on fire: \(runs) off \(balls)"
    }

    /// "Bumrah is on fire: 3 for 12".
    func bowlerOnFire(_ bowler: Int64, _ tally: BowlerTally) -> String {
        "\(name(bowler) ?? "The bowler") is on fire: \(tally.wickets) for \(tally.conceded)"
    }

    /// "Five wickets for Chahal: 5 for 40", "Ten wickets for Kumble: 10 for 74".
    func fiveWickets(_ bowler: Int64, _ wickets: Int, conceded: Int) -> String {
        let what = wickets >= 10 ? "Ten wickets" : "Five wickets"
        return "\(name(bowler).map { "\(what) for \($0)" } ?? what): \(wickets) for \(conceded)"
    }

    /// "KKR need 12".
    func closeFinish(_ chasing: Team, need: Int) -> String { "\(DisplayText.code(chasing.code)) need \(need)" }

    /// "RR won the toss and chose to bat".
    static func toss(_ winner: String, _ decision: TossDecision) -> String {
        "\(winner) won the toss and chose to \(decision.rawValue)"
    }

    /// "Target revised: KKR need 102".
    static func targetRevised(_ chasing: String, _ target: Int) -> String {
        "Target revised: \(chasing) need \(target)"
    }

    /// "Maiden over by Bumrah", "Double-wicket maiden by Bumrah".
    func maiden(_ bowler: Int64, wickets: Int) -> String {
        let kind =
            switch wickets {
            case 0: "Maiden over"
            case 1: "Wicket maiden"
            case 2: "Double-wicket maiden"
            case 3: "Triple-wicket maiden"
            default: "\(wickets)-wicket maiden"
            }
        return name(bowler).map { "\(kind) by \($0)" } ?? kind
    }

    /// "End of over 6: MI 52/1", in The Hundred "After 30 balls: MI 52/1"; `over` counts from 0.
    func endOfOver(_ over: Int, of innings: Innings, score: (runs: Int, wickets: Int)?) -> String {
        let end =
            snapshot.ballsPerOver == Overs.usualBalls
            ? "End of over \(over + 1)" : "After \((over + 1) * snapshot.ballsPerOver) balls"
        guard let score else { return end }
        let code = DisplayText.code(snapshot.team(innings.battingTeamID)?.code ?? "")
        let text = InningsScore(runs: score.runs, wickets: score.wickets).spelled
        return "\(end): \(code.isEmpty ? "" : "\(code) ")\(text)"
    }

    /// "David comes in to bat".
    func newBatter(_ player: Int64) -> String { name(player).map { "\($0) comes in to bat" } ?? "New batter" }

    // MARK: - Parts

    private func runs(_ count: Int) -> String { count == 0 ? "No run" : Self.count(count, "run") }

    private func extras(_ ball: Ball) -> String {
        var parts: [String] = []
        if ball.wides > 0 { parts.append(ball.wides == 1 ? "Wide" : "\(ball.wides) wides") }
        if ball.noBalls > 0 { parts.append(ball.noBalls == 1 ? "No-ball" : "\(ball.noBalls) no-balls") }
        if ball.runsOffBat > 0 { parts.append(Self.count(ball.runsOffBat, "run")) }
        if ball.byes > 0 { parts.append(Self.count(ball.byes, "bye")) }
        if ball.legByes > 0 { parts.append(Self.count(ball.legByes, "leg-bye")) }
        return parts.joined(separator: " and ")
    }

    /// "Buttler off Narine"; nil when neither is known.
    private func duel(_ ball: Ball) -> String? {
        let parts = [name(ball.strikerID), name(ball.bowlerID).map { "off \($0)" }].compactMap { $0 }
        return parts.isEmpty ? nil : parts.joined(separator: " ")
    }

    /// "Narine to Buttler"; nil unless both are known.
    private func bowledTo(_ ball: Ball) -> String? {
        guard let bowler = name(ball.bowlerID), let striker = name(ball.strikerID) else { return nil }
        return "\(bowler) to \(striker)"
    }

    private func listed(_ head: String, _ ids: [Int64]) -> String {
        surnames(ids).map { "\(head): \($0)" } ?? head
    }

    /// The names joined by commas; nil unless all are known, since a list with gaps would miscount.
    private func surnames(_ ids: [Int64]) -> String? {
        let known = ids.compactMap(name)
        return known.count == ids.count && !known.isEmpty ? known.joined(separator: ", ") : nil
    }

    private static func joined(_ head: String, _ tail: String?) -> String { tail.map { "\(head) \($0)" } ?? head }

    /// "1 ball", "2 balls".
    static func count(_ count: Int, _ noun: String) -> String { "\(count) \(noun)\(count == 1 ? "" : "s")" }

    /// "1 four", "2 sixes"; nil for none.
    static func several(_ number: Int, _ noun: String) -> String? {
        number > 0 ? "\(number) \(noun)\(number == 1 ? "" : noun.hasSuffix("x") ? "es" : "s")" : nil
    }

    static func word(_ count: Int) -> String {
        switch count {
        case 3: "Three"
        case 4: "Four"
        case 5: "Five"
        case 6: "Six"
        default: String(count)
        }
    }

    private func name(_ id: Int64) -> String? { names[id] }
}
