import Cricket

/// A bowler's figures, counted from the balls so far.
struct BowlerTally {
    var conceded = 0
    var legalBalls = 0
    var wickets = 0
    /// The batters out on the bowler's last balls, one wicket on each of them without a break.
    var streak: [Int64] = []

    func isOnFire(in format: MatchFormat) -> Bool {
        guard wickets >= 3, legalBalls >= 12 else { return false }
        // Runs conceded per six legal balls are at most 6.0 in T20, 4.5 in one-day and 3.0 in first-class matches.
        let runsPerTwelveBalls =
            switch format {
            case .twenty20: 12
            case .oneDay: 9
            case .firstClass: 6
            }
        return conceded * 12 <= runsPerTwelveBalls * legalBalls
    }

    /// Counts a ball of this bowler.
    mutating func take(_ ball: Ball) {
        conceded += ball.runsConceded
        if ball.isLegal { legalBalls += 1 }
        if let out = ball.outID, ball.howOut?.isBowlers == true {
            wickets += 1
            streak.append(out)
        } else {
            streak = []
        }
    }
}
