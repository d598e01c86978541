/// An included object of which only id, name and code matter: team, league, season, stage, venue, score.
struct RawName: ProviderRow {
    var id: Int64
    var name: String?
    var code: String?
    var city: String?

    init(_ row: JSONValue) throws(RowProblem) {
        id = try row.required("id")
        name = row.text("name")
        code = row.text("code")
        city = row.text("city")
    }
}
