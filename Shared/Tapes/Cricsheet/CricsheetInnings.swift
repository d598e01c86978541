/// One innings of a Cricsheet match; super overs are innings of their own.
struct CricsheetInnings: Decodable, Sendable {
    struct Over: Decodable, Sendable {
        var over: Int
        var deliveries: [CricsheetDelivery]
    }
    struct Powerplay: Decodable, Sendable {
        /// Over and ball: 5.6 is the last ball of the sixth over.
        var from: Double
        var to: Double
    }
    struct Target: Decodable, Sendable {
        var overs: Double?
        var runs: Int?
    }
    struct Miscount: Decodable, Sendable {
        /// Legal balls of an over that the umpires miscounted.
        var balls: Int
    }
    struct Penalty: Decodable, Sendable {
        var pre: Int?
        var post: Int?
    }

    var team: String
    var overs: [Over]?
    var powerplays: [Powerplay]?
    /// The target of this innings, revised when it rained.
    var target: Target?
    var super_over: Bool?
    /// The miscounted overs, by the index of the over, from 0.
    var miscounted_overs: [String: Miscount]?
    /// Runs awarded outside any delivery.
    var penalty_runs: Penalty?

    var isSuperOver: Bool { super_over == true }
}
