/// An over in progress, up to its sixth legal ball.
struct OverTally {
    /// Up to six.
    var legalBalls = 0
    /// A seventh, miscounted one included.
    var allLegalBalls = 0
    var conceded = 0
    var bowlers: Set<Int64> = []
    /// The bowler's.
    var wickets = 0
}
