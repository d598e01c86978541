/// One delivery of a Cricsheet match.
struct CricsheetDelivery: Decodable, Sendable {
    struct Runs: Decodable, Sendable {
        var batter: Int
        var extras: Int
        /// All runs of the ball, penalties included.
        var total: Int
        /// Whether a four or six was run, or came from overthrows.
        var non_boundary: Bool?
    }
    struct Extras: Decodable, Sendable {
        /// Runs from wides, not their count.
        var wides: Int?
        /// Runs from no-balls, not their count.
        var noballs: Int?
        var byes: Int?
        var legbyes: Int?
        var penalty: Int?
    }
    struct Wicket: Decodable, Sendable {
        struct Fielder: Decodable, Sendable {
            /// The fielder's name; substitutes may have none.
            var name: String?
        }
        var player_out: String
        var kind: String
        var fielders: [Fielder]?
    }
    struct Replacements: Decodable, Sendable {
        struct Match: Decodable, Sendable {
            /// The player who comes in.
            var incoming: String
            var team: String

            private enum CodingKeys: String, CodingKey {
                case incoming = "in"
                case team
            }
        }
        var match: [Match]?
    }

    var batter: String
    var bowler: String
    var non_striker: String
    var runs: Runs
    var extras: Extras?
    var wickets: [Wicket]?
    var replacements: Replacements?

    var wides: Int { extras?.wides ?? 0 }
    var noBalls: Int { extras?.noballs ?? 0 }
    var byes: Int { extras?.byes ?? 0 }
    var legByes: Int { extras?.legbyes ?? 0 }
    var penalty: Int { extras?.penalty ?? 0 }
    var isLegal: Bool { wides == 0 && noBalls == 0 }
    var isBoundary: Bool { (runs.batter == 4 || runs.batter == 6) && runs.non_boundary != true }
}

extension CricsheetDelivery.Wicket {
    /// Whether the batter is out. One who is retired hurt, or not out by the captain's leave, may come back.
    var isOut: Bool { kind != "retired hurt" && kind != "retired not out" }

    /// Whether the wicket counts for the bowler.
    var isBowlers: Bool {
        ["bowled", "caught", "caught and bowled", "lbw", "stumped", "hit wicket"].contains(kind)
    }
}
