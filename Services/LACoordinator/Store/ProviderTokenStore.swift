package import Postgres
package import Store
import Tokens

/// Stores the one provider token that all processes show APNs, because APNs refuses more than one new token in 20
/// minutes.
package struct ProviderTokenStore: Sendable {
    package struct StoredToken: Sendable, Equatable {
        package var token: String
        /// Seconds since 1970.
        package var issuedAt: Int
        /// Seconds since the token was made, by the database's clock.
        package var age: Int
        /// No new token is made for a while, and this token may be the one before the newest.
        package var isFrozen: Bool

        package init(token: String, issuedAt: Int, age: Int, isFrozen: Bool = false) {
            self.token = token
            self.issuedAt = issuedAt
            self.age = age
            self.isFrozen = isFrozen
        }
    }
    /// Minutes in which no token is made after APNs has answered TooManyProviderTokenUpdates.
    private static let freezeMinutes = 20
    /// The age up to which the previous token is shown; APNs refuses a token that is an hour old.
    private static let usableSeconds = 55 * 60

    private let pool: PostgresPool
    private let vault: TokenVault

    package init(pool: PostgresPool, vault: TokenVault = .inClear) {
        self.pool = pool
        self.vault = vault
    }

    /// Returns the shared token, or a new one, which one process makes while the others wait.
    /// - Parameters:
    ///   - rejected: a token that APNs has refused; nil for none.
    ///   - isGood: whether the stored token may still be used.
    ///   - mint: makes a token for the given time (seconds since 1970).
    package func token(
        keyID: String, teamID: String, rejected: String? = nil, isGood: @Sendable (StoredToken) -> Bool,
        mint: @Sendable (Int) throws -> String
    ) async throws -> StoredToken {
        try await pool.transaction { transaction in
            _ = try await transaction.query(
                "SELECT pg_advisory_xact_lock(hashtextextended('apns_provider_tokens ' || $1, 0))", [.text(keyID)])
            let rows = try await transaction.query(
                """
                SELECT clock.now, t.token, floor(extract(epoch FROM t.issued_at))::bigint AS issued_at,
                    t.previous_token, floor(extract(epoch FROM t.previous_issued_at))::bigint AS previous_issued_at,
                    coalesce(t.frozen_until > clock_timestamp(), false) AS is_frozen
                FROM (SELECT floor(extract(epoch FROM clock_timestamp()))::bigint AS now) AS clock
                LEFT JOIN apns_provider_tokens t ON t.key_id = $1 AND t.team_id = $2
                """, [.text(keyID), .text(teamID)])
            guard let row = rows.first else { throw PostgresError(.decoding, "no clock") }
            let now = try row.int("now")
            if let token = try row.optionalString("token").flatMap(decrypted),
                let issuedAt = try row.optionalInt("issued_at")
            {
                let stored = StoredToken(
                    token: token, issuedAt: issuedAt, age: now - issuedAt, isFrozen: try row.bool("is_frozen"))
                if stored.isFrozen { return try frozen(stored, row, now: now, rejected: rejected) }
                if isGood(stored) { return stored }
            }
            let token = try mint(now)
            _ = try await transaction.query(
                """
                INSERT INTO apns_provider_tokens AS t (key_id, team_id, token, issued_at)
                VALUES ($1, $2, $3, to_timestamp($4::bigint))
                ON CONFLICT (key_id) DO UPDATE SET
                    team_id = excluded.team_id, token = excluded.token, issued_at = excluded.issued_at,
                    previous_token = t.token, previous_issued_at = t.issued_at, frozen_until = NULL
                """,
                [
                    .text(keyID), .text(teamID),
                    .text(try await vault.writer(in: transaction)(token, as: .provider)), .int(now),
                ])
            return StoredToken(token: token, issuedAt: now, age: 0)
        }
    }

    /// Returns the token before the newest one if APNs still takes it, else the newest.
    private func frozen(
        _ newest: StoredToken, _ row: PostgresRow, now: Int, rejected: String?
    ) throws -> StoredToken {
        guard let token = try row.optionalString("previous_token").flatMap(decrypted), token != rejected,
            let issuedAt = try row.optionalInt("previous_issued_at"), now - issuedAt < Self.usableSeconds
        else { return newest }
        return StoredToken(token: token, issuedAt: issuedAt, age: now - issuedAt, isFrozen: true)
    }

    private func decrypted(_ stored: String) throws -> String? { try vault.read(stored, as: .provider) }

    /// Pauses the making of tokens for 20 minutes, because APNs has seen too many, of which `newest` was the last;
    /// meanwhile the token before it is shown. A second answer of APNs does not prolong the pause.
    package func freeze(keyID: String, newest: String) async throws {
        try await pool.execute(
            """
            UPDATE apns_provider_tokens
            SET frozen_until = clock_timestamp() + \(Self.freezeMinutes) * interval '1 minute'
            WHERE key_id = $1 AND \(TokenSQL.has("token", "$2")) AND coalesce(frozen_until, '-infinity') <= clock_timestamp()
            """, [.text(keyID), try vault.parameter(newest)])
    }
}
