/// The figures of one over, up to its sixth legal ball.
struct OverTally {
    /// Legal balls, at most six.
    var legalBalls = 0
    /// All legal balls, a miscounted seventh included.
    var allLegalBalls = 0
    var conceded = 0
    var bowlers: Set<Int64> = []
    /// Wickets credited to the bowler; a run-out is not.
    var wickets = 0
}
