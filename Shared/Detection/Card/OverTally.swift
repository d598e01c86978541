import Cricket

/// The figures of one over, up to its last legal ball: the sixth, or in The Hundred the fifth.
struct OverTally {
    /// Legal balls, at most `ballsPerOver`.
    var legalBalls = 0
    /// All legal balls, a miscounted seventh included.
    var allLegalBalls = 0
    var conceded = 0
    var bowlers: Set<Int64> = []
    /// Wickets credited to the bowler; a run-out is not.
    var wickets = 0

    /// Counts a ball of this over; after the last legal ball only `allLegalBalls` still grows.
    mutating func take(_ ball: Ball) {
        if ball.isLegal { allLegalBalls += 1 }
        guard legalBalls < ball.ballsPerOver else { return }
        bowlers.insert(ball.bowlerID)
        conceded += ball.runsConceded
        if ball.outID != nil, ball.howOut?.isBowlers == true { wickets += 1 }
        if ball.isLegal { legalBalls += 1 }
    }
}
