import Postgres
import SightscreenModels
import Store
import Tokens

/// What is in the database beside what was sent and acknowledged. A phone's tokens carry the round in which they were
/// sent, and rounds only grow.
enum LabRounds {
    /// The round of each phone's token, by its number.
    static func stored(_ pool: PostgresPool, _ vault: TokenVault) async throws -> [Int: Int] {
        let rows = try await pool.query(
            """
            SELECT d.route AS number, a.update_token FROM live_activities a JOIN devices d USING (user_id, device_id)
            WHERE a.match_id = $1 AND a.status = 'active'
            """, [.int(LabPhones.match.rawValue)], deadline: .seconds(60))
        var stored: [Int: Int] = [:]
        for row in rows {
            let token = try row.optionalString("update_token").flatMap { try vault.decrypt($0, as: .update) }
            stored[try row.int("number")] = LabPhones.round(of: token)
        }
        return stored
    }

    struct Count {
        private var phones = 0
        /// Acknowledged, and not there.
        private var lost = 0
        /// There, and never sent.
        private var strange = 0

        var isGood: Bool { phones > 0 && lost == 0 && strange == 0 }
        var json: String { #"{"phones":\#(phones),"lost":\#(lost),"strange":\#(strange),"verified":\#(isGood)}"# }

        mutating func add(acknowledged: Int, sent: Int, stored: Int) {
            phones += 1
            if stored < acknowledged { lost += 1 }
            if stored > sent { strange += 1 }
        }
    }
}
