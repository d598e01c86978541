import Cricket

/// What the two at the crease have added to the score, counted from the balls they were in together for.
struct Partnership: Equatable {
    let runs: Int
    /// Every ball but wides, as balls faced are counted.
    let balls: Int

    /// Nil unless two are in, and where balls of the stand are missing: what is counted of the rest would be wrong.
    init?(_ innings: Innings, crease: Crease) {
        guard let striker = crease.striker, let nonStriker = crease.nonStriker else { return nil }
        let pair = [striker.playerID, nonStriker.playerID]
        let stand = innings.balls.reversed().prefix { ball in
            ball.outID == nil && pair.contains(ball.strikerID)
                && ball.nonStrikerID.map { $0 != ball.strikerID && pair.contains($0) } ?? true
        }.reversed()
        guard Self.isWhole(Array(stand), in: innings) else { return nil }
        runs = stand.reduce(0) { $0 + $1.totalRuns }
        balls = stand.count { $0.wides == 0 }
    }

    /// Whether each ball follows on the one before, and the total is no more than the one ball ahead of them that a torn
    /// frame may be.
    private static func isWhole(_ stand: [Ball], in innings: Innings) -> Bool {
        guard let last = innings.balls.last else { return innings.overs.legalBalls == 0 }
        let reached = last.over * 6 + last.number - (last.isLegal ? 0 : 1)
        guard innings.overs.legalBalls <= reached + 1 else { return false }
        return zip(stand, stand.dropFirst()).allSatisfy { ball, next in
            next.over == ball.over ? next.number <= ball.number + 1 : next.over == ball.over + 1 && next.number == 1
        }
    }

    /// "45 (32)".
    var text: String { "\(runs) (\(balls))" }
}
