import Postgres
import SightscreenModels
import Store

/// Erases accounts that came back to life with an earlier state of the database.
struct ErasureStore {
    /// Users that are read at once.
    private static let pageMax = 10_000

    let pool: PostgresPool
    let vault: TokenVault

    /// Notes that the database went back, for when no process runs that notices it.
    func noteWentBack() async throws {
        try await pool.execute(
            "UPDATE database_history SET went_back_at = greatest(went_back_at, clock_timestamp())")
    }

    /// Erases the accounts with these hashes (`TokenVault.pseudonym`).
    /// - Returns: how many there were.
    func erase(hashed hashes: Set<String>) async throws -> Int {
        var erased = 0
        var last = ""
        while true {
            let users = try await pool.query(Self.users, [.text(last), .int(Self.pageMax)])
                .map { UserID(try $0.string("user_id")) }
            guard let end = users.last else { return erased }
            for user in users where vault.pseudonym(of: user).map(hashes.contains) ?? false {
                _ = try await pool.transaction { try await AccountErasure.erase(user, vault: vault, in: $0) }
                erased += 1
            }
            last = end.rawValue
        }
    }

    /// The next users (`$2` at most) after one (`$1`), in the order of their ids, of whom there are rows.
    private static let users =
        ["devices", "match_follows", "live_activities", "phone_claims"].map { table in
            "(SELECT DISTINCT user_id FROM \(table) WHERE user_id > $1 ORDER BY user_id LIMIT $2)"
        }.joined(separator: " UNION ") + " ORDER BY user_id LIMIT $2"
}
