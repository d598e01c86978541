import Cricket

/// A row of `runs`.
struct RawRuns: ProviderRow {
    var slim: SlimRuns

    init(_ row: JSONValue) throws(RowProblem) {
        guard let innings = row.innings("inning") else { throw RowProblem("no inning") }
        slim = SlimRuns(
            innings: innings, teamID: try row.required("team_id"), runs: row.count("score") ?? 0,
            wickets: row.count("wickets") ?? 0, overs: Overs(tenths: row.tenths("overs") ?? 0),
            updatedAt: row.time("updated_at"))
    }
}
