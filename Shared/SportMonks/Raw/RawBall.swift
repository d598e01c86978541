/// A row of `balls`.
struct RawBall {
    /// The members that embed a player.
    static let playerKeys: [JSONKey] = [
        "batsman", "bowler", "batsmanone", "batsmantwo", "batsmanout", "catchstump", "runoutby",
    ]

    /// The ball; its `score` is a position in the `scores` given to `init`.
    var slim: SlimBall
    /// The row with the embedded players, which are read in the order of the balls.
    let row: JSONValue

    /// - Parameter scores: the scores that the fixture's balls have shown so far.
    init(_ row: JSONValue, scores: inout ScoreTable) throws(RowProblem) {
        guard let innings = row.innings("scoreboard") else { throw RowProblem("no scoreboard") }
        guard let label = row.tenths("ball") else { throw RowProblem("no ball label") }
        guard let score = scores.place(of: row) else { throw RowProblem("no score") }
        // "7.0" could only mean the last ball of the seventh over.
        let (over, number) = label % 10 == 0 && label > 0 ? (label / 10 - 1, 6) : (label / 10, max(label % 10, 1))
        slim = SlimBall(
            id: try row.required("id"), innings: innings, over: over, number: number, teamID: row.id("team_id") ?? 0,
            strikerID: try row.required("batsman_id"), bowlerID: try row.required("bowler_id"),
            batterOneID: row.id("batsman_one_on_creeze_id"), batterTwoID: row.id("batsman_two_on_creeze_id"),
            outID: row.id("batsmanout_id"), catcherID: row.id("catchstump_id"), runOutByID: row.id("runout_by_id"),
            score: score, updatedAt: row.time("updated_at") ?? 0)
        self.row = row
    }
}
