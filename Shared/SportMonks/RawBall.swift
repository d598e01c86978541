/// A row of `balls` with everything it embeds.
struct RawBall: Decodable {
    /// Its `score` is a position in a table that the whole fixture shares; 0 until then.
    var slim: SlimBall
    var score: SlimScore
    var players: [SlimPlayer]

    init(from decoder: any Decoder) throws {
        let row = try decoder.container(keyedBy: AnyKey.self)
        guard let innings = row.innings("scoreboard") else { throw RowProblem("no scoreboard") }
        guard let label = row.tenths("ball") else { throw RowProblem("no ball label") }
        guard let score = row.included("score", as: RawScore.self)?.slim else { throw RowProblem("no score") }
        self.score = score
        // "7.0" could only mean the last ball of the seventh over.
        let (over, number) = label % 10 == 0 && label > 0 ? (label / 10 - 1, 6) : (label / 10, max(label % 10, 1))
        slim = SlimBall(
            id: try row.required("id"), innings: innings, over: over, number: number, teamID: row.id("team_id") ?? 0,
            strikerID: try row.required("batsman_id"), bowlerID: try row.required("bowler_id"),
            batterOneID: row.id("batsman_one_on_creeze_id"), batterTwoID: row.id("batsman_two_on_creeze_id"),
            outID: row.id("batsmanout_id"), catcherID: row.id("catchstump_id"), runOutByID: row.id("runout_by_id"),
            score: 0, updatedAt: row.time("updated_at") ?? 0)
        let keys: [AnyKey] = [
            "batsman", "bowler", "batsmanone", "batsmantwo", "batsmanout", "catchstump", "runoutby",
        ]
        players = keys.compactMap { row.included($0, as: RawPlayer.self)?.slim }
    }
}
