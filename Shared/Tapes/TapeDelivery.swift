/// One delivery in the provider's terms, with ids instead of names: what does not change from frame to frame.
struct TapeDelivery: Sendable {
    struct Wicket: Sendable {
        var player: Int64
        /// In the provider's words; `TapeIDs.score` of it is the row's `wicket_id`.
        var how: String
        var isOut: Bool
        var isBowlers: Bool
    }

    /// Position in the match, from 1.
    var running: Int
    /// Index of the innings, from 0.
    var innings: Int
    /// Completed overs before it.
    var over: Int
    /// Legal balls before it in the over + 1.
    var number: Int
    var striker: Int64
    var nonStriker: Int64
    var bowler: Int64
    /// The pair by slot: whoever comes in takes the slot of the player who is out.
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
    /// A second wicket on the same delivery: the provider has room for one, so it shows in the next frame.
    var secondWicket: Wicket?
    var catcher: Int64?
    var runOutBy: Int64?
    /// The umpire calls over after it.
    var endsOver: Bool
    /// Overs of the innings after it: completed and legal balls.
    var oversAfter: (completed: Int, balls: Int)

    /// "19.4".
    var label: String { "\(over).\(number)" }
    var totalRuns: Int { batRuns + wides + noBalls + byes + legByes + penalty }
    /// What counts against the bowler.
    var conceded: Int { batRuns + wides + noBalls }
}
