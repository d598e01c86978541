/// One delivery in the provider's terms, with ids instead of names. Nothing in it changes from frame to frame.
struct TapeDelivery: Sendable {
    struct Wicket: Sendable {
        var player: Int64
        /// The dismissal in the provider's words; its `TapeIDs.score` is the row's `wicket_id`.
        var how: String
        var isOut: Bool
        var isBowlers: Bool
    }

    /// The position in the match, from 1.
    var running: Int
    /// The index of the innings, from 0.
    var innings: Int
    /// Completed overs before the ball.
    var over: Int
    /// One more than the legal balls before it in the over.
    var number: Int
    var striker: Int64
    var nonStriker: Int64
    var bowler: Int64
    /// The pair by slot: a new batter takes the slot of the player who is out.
    var slots: (Int64, Int64)
    var score: TapeScore
    var batRuns: Int
    var wides: Int
    var noBalls: Int
    var byes: Int
    var legByes: Int
    var penalty: Int
    var isLegal: Bool
    var wicket: Wicket?
    /// A second wicket on the same delivery. The provider has room for one, so it shows in the next frame.
    var secondWicket: Wicket?
    var catcher: Int64?
    var runOutBy: Int64?
    /// Whether the umpire calls over after the ball.
    var endsOver: Bool
    /// Overs of the innings after the ball: completed, and legal balls.
    var oversAfter: (completed: Int, balls: Int)

    /// The label: "19.4".
    var label: String { "\(over).\(number)" }
    var totalRuns: Int { batRuns + wides + noBalls + byes + legByes + penalty }
    /// Runs that count against the bowler.
    var conceded: Int { batRuns + wides + noBalls }
}
