/// The over in progress, up to its sixth legal ball.
struct OverTally {
    let number: Int
    /// Up to six.
    var legalBalls = 0
    /// A seventh, miscounted one included.
    var allLegalBalls = 0
    var conceded = 0
    var bowlers: Set<Int64> = []
    var wickets = 0
    /// Its end has been told.
    var isOver = false
}
