import Cricket

/// What the balls so far say of a bowler.
struct BowlerTally {
    var conceded = 0
    var legalBalls = 0
    var wickets = 0
    /// Who was out on the bowler's last balls, one wicket on each of them without a break.
    var streak: [Int64] = []

    func isOnFire(in format: MatchFormat) -> Bool {
        guard wickets >= 3, legalBalls >= 12 else { return false }
        // Runs per six legal balls: at most 6.0, 4.5, 3.0.
        let runsPerTwelveBalls =
            switch format {
            case .twenty20: 12
            case .oneDay: 9
            case .firstClass: 6
            }
        return conceded * 12 <= runsPerTwelveBalls * legalBalls
    }
}
