import Cricket

/// The runs that the two batters at the crease have added, counted from the balls while both were in, with the penalty
/// runs that their side was given meanwhile.
struct Partnership: Equatable {
    let runs: Int
    /// Balls of the stand, all but wides, as balls faced are counted.
    let balls: Int

    /// Nil unless two batters are in, and where balls of the stand are missing, since the count would be wrong.
    init?(_ innings: Innings, crease: Crease) {
        guard let striker = crease.striker, let nonStriker = crease.nonStriker else { return nil }
        let pair = [striker.playerID, nonStriker.playerID]
        let stand = innings.balls.reversed().prefix { ball in
            ball.outID == nil && pair.contains(ball.strikerID)
                && ball.nonStrikerID.map { $0 != ball.strikerID && pair.contains($0) } ?? true
        }.reversed()
        guard Self.isWhole(Array(stand), in: innings),
            let penalties = Self.penalties(after: innings.balls.dropLast(stand.count), in: innings)
        else { return nil }
        runs = stand.reduce(penalties) { $0 + $1.totalRuns }
        balls = stand.count { $0.wides == 0 }
    }

    /// The penalty runs of a stand that began after these balls, which no ball shows; nil where nothing says how many of
    /// the innings' penalties came before it.
    private static func penalties(after earlier: ArraySlice<Ball>, in innings: Innings) -> Int? {
        let unseen = innings.runs - innings.balls.reduce(0) { $0 + $1.totalRuns }
        // A total that is a ball ahead of its balls may be so for a ball of any runs.
        guard innings.hasTotal, unseen >= 5 else { return 0 }
        guard unseen.isMultiple(of: 5) else { return nil }
        guard let last = earlier.last else { return unseen }
        guard let fellAt = innings.batting.first(where: { $0.playerID == last.outID })?.fellAt else { return nil }
        let before = fellAt - earlier.reduce(0) { $0 + $1.totalRuns }
        return (0...unseen).contains(before) && before.isMultiple(of: 5) ? unseen - before : nil
    }

    /// Whether the stand's balls follow one another without a gap, and the total is at most one ball ahead of them, as
    /// in a torn frame.
    private static func isWhole(_ stand: [Ball], in innings: Innings) -> Bool {
        guard let last = innings.balls.last else { return innings.overs.legalBalls == 0 }
        let reached = last.over * last.ballsPerOver + last.number - (last.isLegal ? 0 : 1)
        guard innings.overs.legalBalls <= reached + 1 else { return false }
        return zip(stand, stand.dropFirst()).allSatisfy { ball, next in
            next.over == ball.over ? next.number <= ball.number + 1 : next.over == ball.over + 1 && next.number == 1
        }
    }

    /// "45 (32)".
    var text: String { "\(runs) (\(balls))" }
}
