/// One delivery of a Cricsheet match.
struct CricsheetDelivery: Decodable, Sendable {
    struct Runs: Decodable, Sendable {
        var batter: Int
        var extras: Int
        /// Everything on this ball, penalties included.
        var total: Int
        /// Four or six that were run, or overthrows.
        var non_boundary: Bool?
    }
    struct Extras: Decodable, Sendable {
        /// Runs, not a count.
        var wides: Int?
        /// Runs, not a count.
        var noballs: Int?
        var byes: Int?
        var legbyes: Int?
        var penalty: Int?
    }
    struct Wicket: Decodable, Sendable {
        struct Fielder: Decodable, Sendable {
            /// Substitutes may have none.
            var name: String?
        }
        var player_out: String
        var kind: String
        var fielders: [Fielder]?
    }
    struct Replacements: Decodable, Sendable {
        struct Match: Decodable, Sendable {
            /// Who comes in.
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
    /// Retired hurt, or not out by the captain's leave: the batter may come back.
    var isOut: Bool { kind != "retired hurt" && kind != "retired not out" }

    /// Counts for the bowler.
    var isBowlers: Bool {
        ["bowled", "caught", "caught and bowled", "lbw", "stumped", "hit wicket"].contains(kind)
    }
}
