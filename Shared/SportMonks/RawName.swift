/// An included object of which only id, name and code matter: team, league, season, stage, venue, score.
struct RawName: Decodable {
    var id: Int64
    var name: String?
    var code: String?
    var city: String?

    init(from decoder: any Decoder) throws {
        let row = try decoder.container(keyedBy: AnyKey.self)
        id = try row.required("id")
        name = row.text("name")
        code = row.text("code")
        city = row.text("city")
    }
}
