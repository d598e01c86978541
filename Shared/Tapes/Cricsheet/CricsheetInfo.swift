/// `info` of a Cricsheet match: everything but the deliveries.
struct CricsheetInfo: Decodable, Sendable {
    struct Event: Decodable, Sendable {
        var name: String?
        var match_number: Int?
        var stage: String?
    }
    struct Toss: Decodable, Sendable {
        var winner: String?
        var decision: String?
    }
    struct Outcome: Decodable, Sendable {
        struct By: Decodable, Sendable {
            var runs: Int?
            var wickets: Int?
            var innings: Int?
        }
        var winner: String?
        var by: By?
        /// The result without a winner: "tie", "draw", "no result".
        var result: String?
        /// The winner of a super over.
        var eliminator: String?
        var bowl_out: String?
        /// The method by which the target was revised: "D/L" and others.
        var method: String?

        /// The winner, in play or after it.
        var anyWinner: String? { winner ?? eliminator ?? bowl_out }
    }
    struct Officials: Decodable, Sendable {
        var umpires: [String]?
        var tv_umpires: [String]?
        var match_referees: [String]?
    }
    struct Registry: Decodable, Sendable {
        var people: [String: String]
    }

    var teams: [String]
    var dates: [String]
    var gender: String?
    var match_type: String
    var team_type: String?
    var overs: Int?
    var balls_per_over: Int?
    var season: String
    var event: Event?
    var toss: Toss?
    var outcome: Outcome
    var officials: Officials?
    var venue: String?
    var city: String?
    var player_of_match: [String]?
    var players: [String: [String]]
    var registry: Registry?

    private enum CodingKeys: String, CodingKey {
        case teams, dates, gender, match_type, team_type, overs, balls_per_over, season, event, toss, outcome, officials
        case venue, city, player_of_match, players, registry
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        teams = try container.decode([String].self, forKey: .teams)
        dates = try container.decodeIfPresent([String].self, forKey: .dates) ?? []
        gender = try container.decodeIfPresent(String.self, forKey: .gender)
        match_type = try container.decode(String.self, forKey: .match_type)
        team_type = try container.decodeIfPresent(String.self, forKey: .team_type)
        overs = try container.decodeIfPresent(Int.self, forKey: .overs)
        balls_per_over = try container.decodeIfPresent(Int.self, forKey: .balls_per_over)
        // Cricsheet writes seasons as "2020/21", but some files have a bare number.
        if let text = try? container.decode(String.self, forKey: .season) {
            season = text
        } else {
            season = String(try container.decode(Int.self, forKey: .season))
        }
        event = try container.decodeIfPresent(Event.self, forKey: .event)
        toss = try container.decodeIfPresent(Toss.self, forKey: .toss)
        outcome = try container.decode(Outcome.self, forKey: .outcome)
        officials = try container.decodeIfPresent(Officials.self, forKey: .officials)
        venue = try container.decodeIfPresent(String.self, forKey: .venue)
        city = try container.decodeIfPresent(String.self, forKey: .city)
        player_of_match = try container.decodeIfPresent([String].self, forKey: .player_of_match)
        players = try container.decodeIfPresent([String: [String]].self, forKey: .players) ?? [:]
        registry = try container.decodeIfPresent(Registry.self, forKey: .registry)
    }
}
