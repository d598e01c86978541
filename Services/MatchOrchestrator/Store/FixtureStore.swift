import Cricket
package import Postgres
package import SightscreenModels
package import Store

/// Writes the schedule into `fixtures`.
package struct FixtureStore: Sendable {
    /// The most rows in one statement: a few pages of the provider, written in well under a second.
    static let batchMax = 500

    private let pool: PostgresPool

    package init(pool: PostgresPool) { self.pool = pool }

    /// Returns the database's clock, in whole seconds since 1970.
    package func now() async throws -> Int {
        let rows = try await pool.query("SELECT floor(extract(epoch FROM clock_timestamp()))::bigint AS now")
        guard let row = rows.first else { throw PostgresError(.decoding, "no clock") }
        return try row.int("now")
    }

    /// Writes fixtures as the provider reports them now; fixtures that were missing count as present again.
    ///
    /// - Throws: `StoreError.leaseLost` if the lease is lost; nothing more is written then.
    package func upsert(_ fixtures: [FixtureRecord], under lease: Lease) async throws {
        // PostgreSQL refuses a statement that writes a row twice, so only the last of equal ids is kept.
        let unique = Dictionary(fixtures.map { ($0.matchID, $0) }) { $1 }.values.sorted { $0.matchID < $1.matchID }
        for start in stride(from: 0, to: unique.count, by: Self.batchMax) {
            try await write(Array(unique[start..<min(start + Self.batchMax, unique.count)]), lease)
        }
    }

    /// Notes which fixtures of a span of time the provider no longer lists. After the second time in a row a fixture
    /// counts as vanished, for as long as it is missing: `missing_since` is then before `synced_at`.
    ///
    /// - Parameters:
    ///   - from, to: seconds since 1970, compared with `starts_at`; `to` itself is outside.
    ///   - present: the matches in a complete answer for at least that span, also those that could not be read: they do
    ///     not count as missing any more.
    package func noteMissing(from: Int, to: Int, present: [MatchID], under lease: Lease) async throws {
        let rows = try await pool.query(
            """
            WITH \(LeaseGuard.sql(name: 1, epoch: 2)), missing AS (
                UPDATE fixtures SET missing_since = coalesce(missing_since, now()), synced_at = now()
                FROM lease_guard
                WHERE starts_at >= to_timestamp($3::bigint) AND starts_at < to_timestamp($4::bigint)
                    AND match_id <> ALL($5::bigint[])
                RETURNING 1
            ), found AS (
                UPDATE fixtures SET missing_since = NULL FROM lease_guard
                WHERE match_id = ANY($5::bigint[]) AND missing_since IS NOT NULL
                RETURNING 1
            )
            SELECT EXISTS (SELECT 1 FROM lease_guard) AS held
            """,
            lease.parameters + [.int(from), .int(to), .intArray(present.map { $0.rawValue })])
        try lease.check(rows)
    }

    /// Returns followed matches that a list of this span does not have, those first that it has just lost: they start
    /// outside it, or are missing.
    /// - Parameters:
    ///   - from, to: seconds since 1970, compared with `starts_at`; `to` itself is outside.
    ///   - known: matches that are left out.
    package func followedOutside(from: Int, to: Int, except known: [MatchID], limit: Int) async throws -> [MatchID] {
        try await pool.query(
            """
            SELECT f.match_id FROM fixtures AS f
            WHERE (f.missing_since IS NOT NULL OR f.starts_at IS NULL
                    OR f.starts_at < to_timestamp($1::bigint) OR f.starts_at >= to_timestamp($2::bigint))
                AND NOT \(FixtureSQL.isOver("f.status")) AND f.match_id <> ALL($3::bigint[])
                AND EXISTS (SELECT FROM match_follows AS w WHERE w.match_id = f.match_id)
            ORDER BY f.missing_since DESC NULLS LAST, f.starts_at, f.match_id LIMIT $4::bigint
            """, [.int(from), .int(to), .intArray(known.map { $0.rawValue }), .int(limit)]
        ).map { MatchID(try $0.int64("match_id")) }
    }

    private func write(_ batch: [FixtureRecord], _ lease: Lease) async throws {
        let rows = try await pool.query(
            """
            WITH \(LeaseGuard.sql(name: 1, epoch: 2)), written AS (
                INSERT INTO fixtures AS f (
                    match_id, league_id, competition, round, format, status, starts_at, home_id, home_name, home_code,
                    away_id, away_name, away_code, venue, note, winner_id, home_logo, away_logo, synced_at)
                SELECT u.match_id, u.league_id, u.competition, u.round, u.format, u.status, to_timestamp(u.starts_at),
                    u.home_id, u.home_name, u.home_code, u.away_id, u.away_name, u.away_code, u.venue, u.note,
                    u.winner_id, u.home_logo, u.away_logo, now()
                FROM lease_guard, unnest(
                    $3::bigint[], $4::bigint[], $5::text[], $6::text[], $7::text[], $8::text[], $9::bigint[],
                    $10::bigint[], $11::text[], $12::text[], $13::bigint[], $14::text[], $15::text[], $16::text[],
                    $17::text[], $18::bigint[], $19::text[], $20::text[]
                ) AS u (match_id, league_id, competition, round, format, status, starts_at, home_id, home_name,
                    home_code, away_id, away_name, away_code, venue, note, winner_id, home_logo, away_logo)
                ON CONFLICT (match_id) DO UPDATE SET
                    league_id = excluded.league_id, competition = excluded.competition, round = excluded.round,
                    format = excluded.format, status = excluded.status, starts_at = excluded.starts_at,
                    home_id = excluded.home_id, home_name = excluded.home_name, home_code = excluded.home_code,
                    away_id = excluded.away_id, away_name = excluded.away_name, away_code = excluded.away_code,
                    venue = excluded.venue, note = excluded.note, winner_id = excluded.winner_id,
                    home_logo = excluded.home_logo, away_logo = excluded.away_logo,
                    synced_at = excluded.synced_at, missing_since = NULL,
                    over_at = CASE WHEN NOT \(FixtureSQL.isOver("excluded.status")) THEN NULL
                        WHEN \(FixtureSQL.isOver("f.status")) THEN f.over_at ELSE now() END
                RETURNING 1
            )
            SELECT EXISTS (SELECT 1 FROM lease_guard) AS held
            """,
            lease.parameters + [
                .intArray(batch.map { $0.matchID.rawValue }), .intArray(batch.map { $0.leagueID }),
                .textArray(batch.map(\.competition)), .textArray(batch.map(\.round)),
                .textArray(batch.map(\.format.rawValue)), .textArray(batch.map(\.status)),
                .intArray(batch.map { $0.startsAt.map { Int64($0) } }),
                .intArray(batch.map { $0.home.id }), .textArray(batch.map(\.home.name)),
                .textArray(batch.map(\.home.code)),
                .intArray(batch.map { $0.away.id }), .textArray(batch.map(\.away.name)),
                .textArray(batch.map(\.away.code)),
                .textArray(batch.map(\.venue)), .textArray(batch.map(\.note)), .intArray(batch.map(\.winnerID)),
                .textArray(batch.map(\.home.logo)), .textArray(batch.map(\.away.logo)),
            ])
        try lease.check(rows)
    }
}
