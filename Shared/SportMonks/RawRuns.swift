import Sightscreen

/// A row of `runs`.
struct RawRuns: Decodable {
    var slim: SlimRuns

    init(from decoder: any Decoder) throws {
        let row = try decoder.container(keyedBy: AnyKey.self)
        guard let innings = row.innings("inning") else { throw RowProblem("no inning") }
        slim = SlimRuns(
            innings: innings, teamID: try row.required("team_id"), runs: row.count("score") ?? 0,
            wickets: row.count("wickets") ?? 0, overs: Overs(tenths: row.tenths("overs") ?? 0),
            updatedAt: row.time("updated_at"))
    }
}
