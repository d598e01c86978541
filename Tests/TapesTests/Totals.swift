/// The totals of a match, counted from Cricsheet's file by the simplest means, as an oracle.
struct Totals {
    struct Innings: Equatable {
        var runs: Int
        var wickets: Int
        var deliveries: Int
    }

    let innings: [Innings]

    init(_ json: JSON) {
        innings = json["innings"].rows.map { innings in
            let deliveries = innings["overs"].rows.flatMap { $0["deliveries"].rows }
            let wickets = deliveries.flatMap { $0["wickets"].rows }.count {
                $0["kind"].string != "retired hurt" && $0["kind"].string != "retired not out"
            }
            let awarded = (innings["penalty_runs"]["pre"].int ?? 0) + (innings["penalty_runs"]["post"].int ?? 0)
            return Innings(
                runs: deliveries.reduce(awarded) { $0 + ($1["runs"]["total"].int ?? 0) }, wickets: wickets,
                deliveries: deliveries.count)
        }
    }
}
