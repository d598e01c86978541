/// A row of `batting`.
struct RawBatting: ProviderRow {
    /// The members that embed a player.
    static let playerKeys: [JSONKey] = ["batsman", "bowler", "catchstump", "runoutby", "batsmanout"]

    var slim: SlimBatting

    init(_ row: JSONValue) throws(RowProblem) {
        guard let innings = row.innings("scoreboard") else { throw RowProblem("no scoreboard") }
        let fall = row.tenths("fow_balls") ?? 0
        let fallScore = row.count("fow_score") ?? 0
        let hasFallen = fall > 0 || fallScore > 0
        slim = SlimBatting(
            innings: innings, sort: row.count("sort") ?? 0, teamID: row.id("team_id") ?? 0,
            playerID: try row.required("player_id"), runs: row.count("score") ?? 0, balls: row.count("ball") ?? 0,
            fours: row.count("four_x") ?? 0, sixes: row.count("six_x") ?? 0,
            wicketID: row.id("wicket_id") ?? row.id("score_id"),
            wicketName: (row.included("result", as: RawName.self) ?? row.included("wicket", as: RawName.self))?.name,
            bowlerID: row.id("bowling_player_id"), catcherID: row.id("catch_stump_player_id"),
            runOutByID: row.id("runout_by_id"), fallScore: hasFallen ? fallScore : nil,
            fallTenths: hasFallen ? fall : nil)
    }
}
