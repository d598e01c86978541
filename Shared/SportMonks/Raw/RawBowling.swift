import Cricket

/// A row of `bowling`.
struct RawBowling: ProviderRow {
    /// The member that embeds a player.
    static let playerKeys: [JSONKey] = ["bowler"]

    var slim: SlimBowling

    init(_ row: JSONValue) throws(RowProblem) {
        guard let innings = row.innings("scoreboard") else { throw RowProblem("no scoreboard") }
        slim = SlimBowling(
            innings: innings, sort: row.count("sort") ?? 0, teamID: row.id("team_id") ?? 0,
            playerID: try row.required("player_id"), overs: Overs(tenths: row.tenths("overs") ?? 0),
            maidens: row.count("medians") ?? 0, runs: row.count("runs") ?? 0, wickets: row.count("wickets") ?? 0,
            wides: row.count("wide") ?? 0, noBalls: row.count("noball") ?? 0)
    }
}
