/// Fixtures in the provider's shape.
enum ScheduleFixtures {
    static func fixture(_ id: Int, status: String = "NS", startsAt: String = "2026-10-09T13:00:00.000000Z") -> String {
        """
        {"resource":"fixtures","id":\(id),"league_id":3,"season_id":1,"stage_id":2,"round":"1st T20I",
         "localteam_id":1,"visitorteam_id":39,"starting_at":"\(startsAt)","type":"T20I","live":true,
         "status":"\(status)","note":"","venue_id":58,"winner_team_id":null,"super_over":false,"follow_on":false,
         "localteam":{"resource":"teams","id":1,"name":"Pakistan","code":"PAK",
          "image_path":"https://cdn.sportmonks.com/images/cricket/teams/1/1.png"},
         "visitorteam":{"resource":"teams","id":39,"name":"Sri Lanka","code":"SL"},
         "league":{"resource":"leagues","id":3,"name":"Twenty20 International","code":"T20I"},
         "venue":{"resource":"venues","id":58,"name":"Gaddafi Stadium","city":"Lahore"},"runs":[]}
        """
    }

    static func page(_ fixtures: [String], page: Int = 1, of last: Int = 1) -> String {
        """
        {"data":[\(fixtures.joined(separator: ","))],"links":{"next":null},
         "meta":{"current_page":\(page),"last_page":\(last),"per_page":100,"total":\(fixtures.count)}}
        """
    }
}
