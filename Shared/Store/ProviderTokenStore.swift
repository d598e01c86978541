public import Postgres

/// The one provider token that all processes show APNs: minting more than one in 20 minutes is refused there.
public struct ProviderTokenStore: Sendable {
    public struct StoredToken: Sendable, Equatable {
        public var token: String
        /// Seconds since 1970.
        public var issuedAt: Int
        /// By the database's clock, in seconds.
        public var age: Int
    }

    private let pool: PostgresPool

    public init(pool: PostgresPool) { self.pool = pool }

    /// The shared token, or a new one, made by one process while the others wait.
    /// - Parameters:
    ///   - isGood: whether the stored token may still be used.
    ///   - mint: makes a token for this time (seconds since 1970).
    public func token(
        keyID: String, teamID: String, isGood: @Sendable (StoredToken) -> Bool, mint: @Sendable (Int) throws -> String
    ) async throws -> StoredToken {
        try await pool.transaction { transaction in
            _ = try await transaction.query(
                "SELECT pg_advisory_xact_lock(hashtextextended('apns_provider_tokens ' || $1, 0))", [.text(keyID)])
            let rows = try await transaction.query(
                """
                SELECT clock.now, t.token, floor(extract(epoch FROM t.issued_at))::bigint AS issued_at
                FROM (SELECT floor(extract(epoch FROM clock_timestamp()))::bigint AS now) AS clock
                LEFT JOIN apns_provider_tokens t ON t.key_id = $1 AND t.team_id = $2
                """, [.text(keyID), .text(teamID)])
            guard let row = rows.first else { throw PostgresError(.decoding, "no clock") }
            let now = try row.int("now")
            if let token = try row.optionalString("token"), let issuedAt = try row.optionalInt("issued_at") {
                let stored = StoredToken(token: token, issuedAt: issuedAt, age: now - issuedAt)
                if isGood(stored) { return stored }
            }
            let token = try mint(now)
            _ = try await transaction.query(
                """
                INSERT INTO apns_provider_tokens (key_id, team_id, token, issued_at)
                VALUES ($1, $2, $3, to_timestamp($4::bigint))
                ON CONFLICT (key_id) DO UPDATE SET
                    team_id = excluded.team_id, token = excluded.token, issued_at = excluded.issued_at
                """, [.text(keyID), .text(teamID), .text(token), .int(now)])
            return StoredToken(token: token, issuedAt: now, age: 0)
        }
    }
}
