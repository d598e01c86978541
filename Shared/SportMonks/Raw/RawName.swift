/// An included object (team, league, season, stage, venue, score) of which only id, name, code, city and image matter.
struct RawName: ProviderRow {
    var id: Int64
    var name: String?
    var code: String?
    var city: String?
    var image: String?

    init(_ row: JSONValue) throws(RowProblem) {
        id = try row.required("id")
        name = row.text("name")
        code = row.text("code")
        city = row.text("city")
        image = row.text("image_path")
    }
}
