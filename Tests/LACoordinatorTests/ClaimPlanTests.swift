import LACoordinator
import Postgres
import SightscreenModels
import Store
import TestKit
import Testing

/// What claims read when the planner knows nothing of the rows that wait: a match has begun, and the statistics are of
/// before.
@Suite struct ClaimPlanTests {
    private static let phones = 2_000

    private func entriesRead(_ pool: PostgresPool) async throws -> Int {
        _ = try await pool.query("SELECT pg_stat_force_next_flush()")
        let rows = try await pool.query(
            """
            SELECT (SELECT sum(idx_tup_read) FROM pg_stat_user_indexes WHERE relname = 'live_activities')::bigint
                + (SELECT seq_tup_read FROM pg_stat_user_tables WHERE relname = 'live_activities') AS entries
            """)
        return try #require(rows.first).int("entries")
    }

    @Test func startsAreClaimedInASingleWalkWhateverTheStatisticsSay() async throws {
        try await withDatabase(size: 1) { (pool: PostgresPool) async throws in
            for statement in [
                """
                INSERT INTO active_matches (match_id, display_state, version, stamp, content_state, went_live_at)
                VALUES (1, 'live', 1, 100, '{}', clock_timestamp())
                """,
                """
                INSERT INTO devices (user_id, device_id, route, shard, push_to_start_token, push_to_start_token_at)
                SELECT 'user-' || n, 'phone', n::bigint << 40, 0, 'aa' || n, clock_timestamp()
                FROM generate_series(1, \(Self.phones)) AS n
                """,
                // As autovacuum left it before the match.
                "ANALYZE",
                """
                INSERT INTO live_activities (match_id, user_id, device_id, generation, route, shard)
                SELECT 1, user_id, device_id, 1, route, shard FROM devices
                """,
            ] { try await pool.execute(statement) }
            let holds = try await LeaseStore(pool: pool).acquire(
                [.shard(0)], holder: "test/1", duration: .seconds(60)
            ).compactMap { ShardLease($0) }
            let before = try await entriesRead(pool)
            let claims = try await ActivityStore(pool: pool).claimStarts(holds, limit: 500, lease: .seconds(120))
            #expect(claims.count == 500)
            // The walk over those in front, what each phone had today, and the new entry of each.
            #expect(try await entriesRead(pool) - before < 20 * Self.phones)
        }
    }
}
