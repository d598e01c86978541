import Cricket

/// A row of `scoreboards`.
struct RawScoreboard: ProviderRow {
    var slim: SlimScoreboard

    init(_ row: JSONValue) throws(RowProblem) {
        guard let innings = row.innings("scoreboard") else { throw RowProblem("no scoreboard") }
        slim = SlimScoreboard(
            innings: innings, teamID: row.id("team_id"), type: row.text("type") ?? "", wides: row.count("wide") ?? 0,
            noBallRuns: row.count("noball_runs") ?? 0, noBalls: row.count("noball_balls") ?? 0,
            byes: row.count("bye") ?? 0, legByes: row.count("leg_bye") ?? 0, penalty: row.count("penalty") ?? 0,
            total: row.count("total") ?? 0, overs: row.tenths("overs").map { Overs(tenths: $0) },
            wickets: row.count("wickets") ?? 0)
    }
}
