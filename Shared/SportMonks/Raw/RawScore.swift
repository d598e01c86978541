/// A `score` object of a ball.
struct RawScore: ProviderRow {
    var slim: SlimScore

    init(_ row: JSONValue) throws(RowProblem) {
        guard let name = row.text("name"), let runs = row.count("runs") else { throw RowProblem("no score") }
        slim = SlimScore(
            id: row.id("id"), name: name, runs: runs, four: row.flag("four") ?? false, six: row.flag("six") ?? false,
            bye: row.count("bye") ?? 0, legBye: row.count("leg_bye") ?? 0, noBall: row.count("noball") ?? 0,
            noBallRuns: row.count("noball_runs") ?? 0, isBall: row.flag("ball") ?? true,
            isOut: row.flag("is_wicket") ?? row.flag("out") ?? false)
    }
}
