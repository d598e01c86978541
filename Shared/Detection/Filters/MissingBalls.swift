import Cricket

/// The batters and bowlers whose balls are not all in the frame, by their rows: a rate worked out from the rest would
/// be wrong.
struct MissingBalls {
    /// Balls by which the rows of a torn frame may be ahead of its balls.
    static let tornMax = 2

    private(set) var batters: Set<Int64> = []
    private(set) var bowlers: Set<Int64> = []

    init(_ innings: Innings) {
        var faced: [Int64: Int] = [:]
        var bowled: [Int64: Int] = [:]
        for ball in innings.balls {
            if ball.wides == 0 { faced[ball.strikerID, default: 0] += 1 }
            if ball.isLegal { bowled[ball.bowlerID, default: 0] += 1 }
        }
        for line in innings.batting where line.ballsFaced > (faced[line.playerID] ?? 0) + Self.tornMax {
            batters.insert(line.playerID)
        }
        for line in innings.bowling where line.overs.legalBalls > (bowled[line.playerID] ?? 0) + Self.tornMax {
            bowlers.insert(line.playerID)
        }
    }
}
