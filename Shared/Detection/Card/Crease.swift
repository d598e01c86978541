import Cricket

/// The two batters at the crease for the next ball, worked out from the last ball and the batting rows.
struct Crease {
    var striker: BattingLine?
    var nonStriker: BattingLine?
    /// False after a run out: no row says whether the batters had crossed, nor at which end the wicket was broken. (A
    /// short run leaves no trace at all.)
    private(set) var isStrikerKnown = true

    init(_ innings: Innings) {
        let standing = innings.batting.filter { $0.dismissal == nil && $0.absence == nil }
        guard let last = innings.balls.last else {
            striker = standing.first
            nonStriker = standing.dropFirst().first
            return
        }
        var ends: [Int64?] = [last.strikerID, last.nonStrikerID]
        if Self.runsRun(last) % 2 == 1 { ends.swapAt(0, 1) }
        for end in ends.indices where ends[end] == last.outID { ends[end] = nil }
        for end in ends.indices {
            if let id = ends[end], !standing.contains(where: { $0.playerID == id }) { ends[end] = nil }
        }
        // A batter who came in after the last ball has faced nothing and stood at neither end.
        var seen = Set<Int64>()
        for ball in innings.balls {
            seen.insert(ball.strikerID)
            if let other = ball.nonStrikerID { seen.insert(other) }
        }
        var newcomers = standing.filter { !seen.contains($0.playerID) }.map(\.playerID)[...]
        for end in ends.indices where ends[end] == nil {
            if let newcomer = newcomers.popLast() { ends[end] = newcomer }
        }
        // In The Hundred the next ball comes from the other end after ten balls only.
        let changesEnds = last.ballsPerOver == Overs.usualBalls || !last.over.isMultiple(of: 2)
        if changesEnds, Self.endsOver(last, in: innings) { ends.swapAt(0, 1) }
        isStrikerKnown = last.howOut != .runOut && last.howOut != .obstructingTheField
        striker = standing.first { $0.playerID == ends[0] }
        nonStriker = standing.first { $0.playerID == ends[1] }
    }

    /// The batter of the innings' last ball who has retired hurt since; nil once a ball was bowled without them.
    static func retired(in innings: Innings) -> BattingLine? {
        guard let last = innings.balls.last else { return nil }
        return innings.batting.first {
            $0.absence == .retired && ($0.playerID == last.strikerID || $0.playerID == last.nonStrikerID)
        }
    }

    /// Runs for which the batters crossed: a boundary and the penalty of a wide or no-ball are not run.
    static func runsRun(_ ball: Ball) -> Int {
        let offBat = ball.isBoundary ? 0 : ball.runsOffBat
        return offBat + ball.byes + ball.legByes + max(0, ball.wides - 1)
    }

    /// Whether the over of the innings' last ball is complete: it has all its legal balls, or the total says so.
    static func endsOver(_ ball: Ball, in innings: Innings) -> Bool {
        if innings.overs.completed > ball.over { return true }
        return innings.balls.suffix(20).reduce(0) { $0 + ($1.over == ball.over && $1.isLegal ? 1 : 0) }
            >= ball.ballsPerOver
    }
}
