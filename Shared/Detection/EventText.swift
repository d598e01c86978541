import Sightscreen

/// The sentence a fan reads.
struct EventText {
    private let players: [Int64: Player]

    init(_ snapshot: MatchSnapshot) { players = snapshot.players }

    func delivery(_ ball: Ball, _ kind: EventKind) -> String {
        switch kind {
        case .four: "FOUR! \(full(ball.strikerID)) off \(last(ball.bowlerID))"
        case .six: "SIX! \(full(ball.strikerID)) off \(last(ball.bowlerID))"
        case .extras: "\(extras(ball)), \(last(ball.bowlerID)) to \(last(ball.strikerID))"
        default: "\(runs(ball.runsOffBat)), \(last(ball.bowlerID)) to \(last(ball.strikerID))"
        }
    }

    /// "Rohit Sharma c Kohli b Bumrah 45 (32)".
    func wicket(_ player: Int64, _ dismissal: Dismissal, runs: Int, balls: Int) -> String {
        "\(full(player)) \(how(dismissal)) \(runs) (\(balls))"
    }

    private func how(_ dismissal: Dismissal) -> String {
        let bowler = dismissal.bowlerID.map { " b \(last($0))" } ?? ""
        let fielder = dismissal.fielderID.map(last)
        return switch dismissal.how {
        case .bowled: bowler.isEmpty ? "bowled" : String(bowler.dropFirst())
        case .caught: "c \(fielder ?? "sub")\(bowler)"
        case .caughtAndBowled: "c & \(bowler.isEmpty ? "b" : String(bowler.dropFirst()))"
        case .lbw: "lbw\(bowler)"
        case .stumped: "st \(fielder ?? "sub")\(bowler)"
        case .hitWicket: "hit wicket\(bowler)"
        case .runOut: fielder.map { "run out (\($0))" } ?? "run out"
        case .obstructingTheField: "obstructing the field"
        case .timedOut: "timed out"
        case .retiredOut: "retired out"
        case .handledTheBall: "handled the ball"
        case .hitTwice: "hit the ball twice"
        case .unknown: "out"
        }
    }

    func milestone(_ player: Int64, _ value: Int, balls: Int?) -> String {
        "\(value) for \(last(player))" + (balls.map { " (\($0) balls)" } ?? "")
    }

    func nineties(_ player: Int64, runs: Int) -> String { "\(full(player)) is on \(runs)" }

    func consecutiveSixes(_ ball: Ball, _ count: Int) -> String {
        "\(count) sixes in a row! \(full(ball.strikerID)) off \(last(ball.bowlerID))"
    }

    func onHatTrick(_ bowler: Int64, out: [Int64]) -> String {
        "\(full(bowler)) is on a hat-trick: \(names(out))"
    }

    /// "Hat-trick! Chahal: Iyer, Mavi, Cummins".
    func hatTrick(_ bowler: Int64, out: [Int64]) -> String {
        let word =
            switch out.count {
            case 3: "Hat-trick!"
            case 4: "Four in four!"
            case 5: "Five in five!"
            default: "\(out.count) in \(out.count)!"
            }
        return "\(word) \(last(bowler)): \(names(out))"
    }

    func batterOnFire(_ player: Int64, runs: Int, balls: Int) -> String {
        "\(full(player)) is on fire: \(runs) off \(balls)"
    }

    func bowlerOnFire(_ bowler: Int64, _ tally: BowlerTally) -> String {
        "\(full(bowler)) is on fire: \(tally.wickets) for \(tally.conceded)"
    }

    func maiden(_ bowler: Int64, wickets: Int) -> String {
        switch wickets {
        case 0: "Maiden over by \(full(bowler))"
        case 1: "Wicket maiden by \(full(bowler))"
        default: "\(wickets)-wicket maiden by \(full(bowler))"
        }
    }

    /// `over` counts from 0.
    func endOfOver(_ over: Int, _ team: Team?, score: (runs: Int, wickets: Int)?) -> String {
        guard let score else { return "End of over \(over + 1)" }
        return "End of over \(over + 1): \(team.map { "\($0.code) " } ?? "")\(score.runs)/\(score.wickets)"
    }

    func newBatter(_ player: Int64) -> String { "\(full(player)) comes in to bat" }

    private func runs(_ count: Int) -> String {
        switch count {
        case 0: "No run"
        case 1: "1 run"
        default: "\(count) runs"
        }
    }

    private func extras(_ ball: Ball) -> String {
        var parts: [String] = []
        if ball.wides > 0 { parts.append(ball.wides == 1 ? "Wide" : "\(ball.wides) wides") }
        if ball.noBalls > 0 { parts.append(ball.noBalls == 1 ? "No-ball" : "\(ball.noBalls) no-balls") }
        if ball.runsOffBat > 0 { parts.append(runs(ball.runsOffBat)) }
        if ball.byes > 0 { parts.append(ball.byes == 1 ? "1 bye" : "\(ball.byes) byes") }
        if ball.legByes > 0 { parts.append(ball.legByes == 1 ? "1 leg-bye" : "\(ball.legByes) leg-byes") }
        return parts.joined(separator: " and ")
    }

    private func names(_ ids: [Int64]) -> String { ids.map(last).joined(separator: ", ") }
    private func full(_ id: Int64) -> String { players[id]?.fullName ?? "Player \(id)" }
    private func last(_ id: Int64) -> String { players[id]?.lastName ?? "Player \(id)" }
}
