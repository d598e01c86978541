import MatchOrchestrator
import APIGateway
import Postgres
import SightscreenModels
import Store
import TestKit
import Testing

/// `createPending` against what a plain look at all tables says is missing.
@Suite struct PendingTests {
    private static let match = MatchID(1_304_076)

    /// Phones of many users, of whom some follow the match, and activities of theirs in every state.
    private func fill(_ pool: PostgresPool, _ random: inout SeededGenerator) async throws {
        let followed = Int.random(in: 1...100, using: &random)
        let present = Int.random(in: 0...100, using: &random)
        try await pool.execute(
            """
            CREATE FUNCTION chance(key text) RETURNS double precision LANGUAGE sql IMMUTABLE
            RETURN (hashtextextended(key, \(Int.random(in: 0..<1_000_000, using: &random))) & 1048575) / 1048576.0
            """)
        try await pool.execute(
            """
            INSERT INTO devices (user_id, device_id, route, shard, push_to_start_token, live_activities_enabled)
            SELECT 'user-' || n, 'phone-' || k, n, n % 64,
                CASE WHEN chance('token' || n || k) < 0.9 THEN n || '-' || k END, chance('enabled' || n || k) < 0.9
            FROM generate_series(1, 400) AS n, generate_series(1, 3) AS k WHERE chance('phone' || n || k) < 0.5
            """)
        try await pool.execute(
            """
            INSERT INTO match_follows (user_id, match_id, expires_at)
            SELECT 'user-' || n, $1::bigint,
                CASE WHEN chance('expired' || n) < 0.05 THEN clock_timestamp() - interval '1 minute' END
            FROM generate_series(1, 400) AS n WHERE chance('follow' || n) * 100 < $2::int
            """, [.int(Self.match.rawValue), .int(followed)])
        try await pool.execute(
            """
            INSERT INTO live_activities (match_id, user_id, device_id, generation, route, shard, status, end_reason,
                update_token, start_attempts, starts_sent, start_sent_at)
            SELECT match_id, user_id, device_id, 1, 1, 1, status, CASE status WHEN 'ended' THEN 'token_invalid' END,
                CASE status WHEN 'active' THEN match_id || user_id || device_id END, tries, tries,
                clock_timestamp() - chance('sent' || device) * interval '2 hours'
            FROM (
                SELECT match_id, user_id, device_id, device, (ARRAY['pending', 'active', 'active', 'ended'])
                    [1 + floor(chance('status' || device) * 4)::int] AS status,
                    floor(chance('tries' || device) * 8)::int AS tries
                FROM devices, unnest(ARRAY[$1::bigint, 5]) AS match_id,
                    LATERAL (SELECT user_id || device_id || match_id AS device) AS name
                WHERE chance('there' || device) * 100 < $2::int
            ) AS a
            """, [.int(Self.match.rawValue), .int(present)])
    }

    private func missing(_ pool: PostgresPool) async throws -> Set<String> {
        let rows = try await pool.query(
            """
            SELECT d.user_id || ' ' || d.device_id AS phone FROM match_follows AS f JOIN devices AS d USING (user_id)
            WHERE f.match_id = $1 AND (f.expires_at IS NULL OR f.expires_at > clock_timestamp())
                AND d.live_activities_enabled AND d.push_to_start_token IS NOT NULL
                AND NOT EXISTS (
                    SELECT FROM live_activities AS a WHERE a.match_id = $1 AND a.status <> 'ended'
                        AND (a.user_id, a.device_id) = (d.user_id, d.device_id))
                AND (SELECT coalesce(sum(start_attempts), 0) FROM live_activities AS a
                    WHERE (a.user_id, a.device_id) = (d.user_id, d.device_id)
                        AND a.start_sent_at > clock_timestamp() - interval '1 hour') < 6
            """, [.int(Self.match.rawValue)])
        return Set(try rows.map { try $0.string("phone") })
    }

    private func current(_ pool: PostgresPool) async throws -> Set<String> {
        let rows = try await pool.query(
            "SELECT user_id || ' ' || device_id AS phone FROM live_activities WHERE match_id = $1 AND status <> 'ended'",
            [.int(Self.match.rawValue)])
        return Set(try rows.map { try $0.string("phone") })
    }

    @Test(arguments: 1...12)
    func makesExactlyWhatIsMissing(_ seed: Int) async throws {
        let batchSize = [1, 2, 7, 30, 1_000][seed % 5]
        try await withDatabase { (pool: PostgresPool) async throws in
            var random = SeededGenerator(seed: UInt64(seed))
            try await fill(pool, &random)
            let lease = try #require(
                try await LeaseStore(pool: pool).acquire([.orchestrator], holder: "test/1", duration: .seconds(60))
                    .first)
            let store = OrchestratorStore(pool: pool, batchSize: batchSize)
            for _ in 0..<3 {
                let (before, expected) = (try await current(pool), try await missing(pool))
                #expect(try await store.createPending(for: Self.match, under: lease).made == expected.count)
                #expect(try await current(pool) == before.union(expected))
                #expect(try await store.createPending(for: Self.match, under: lease).made == 0)
                // Some are lost again.
                try await pool.execute(
                    """
                    UPDATE live_activities SET status = 'ended', end_reason = 'token_invalid'
                    WHERE status <> 'ended' AND hashtext(user_id || $1::text) % 7 = 0
                    """, [.text("\(random.next())")])
            }
        }
    }

    /// An unfollow that has been answered is never overtaken by a pass that saw the follow before.
    @Test func anUnfollowAtTheSameMomentLeavesNothing() async throws {
        try await withDatabase(size: 8) { (pool: PostgresPool) async throws in
            try await pool.execute(
                """
                INSERT INTO active_matches (match_id, display_state, version, stamp, content_state, went_live_at)
                VALUES ($1, 'live', 1, 100, '{}', clock_timestamp())
                """, [.int(Self.match.rawValue)])
            try await pool.execute(
                """
                INSERT INTO devices (user_id, device_id, route, shard, push_to_start_token)
                SELECT 'user-' || n, 'phone', n, n % 64, 'token-' || n FROM generate_series(1, 200) AS n
                """)
            try await pool.execute(
                "INSERT INTO match_follows (user_id, match_id) SELECT user_id, $1::bigint FROM devices",
                [.int(Self.match.rawValue)])
            let lease = try #require(
                try await LeaseStore(pool: pool).acquire([.orchestrator], holder: "test/1", duration: .seconds(60))
                    .first)
            let store = OrchestratorStore(pool: pool, batchSize: 20)
            let follows = FollowStore(pool: pool)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<2 { group.addTask { _ = try await store.createPending(for: Self.match, under: lease) } }
                group.addTask {
                    for user in stride(from: 1, through: 200, by: 3) {
                        try await follows.unfollow(Self.match, user: UserID("user-\(user)"))
                    }
                }
                try await group.waitForAll()
            }
            let left = try await pool.query(
                """
                SELECT count(*) FILTER (WHERE f.user_id IS NULL) AS unfollowed, count(*) AS all
                FROM live_activities AS a LEFT JOIN match_follows AS f USING (match_id, user_id)
                WHERE a.status <> 'ended'
                """)
            #expect(try left.first?.int("unfollowed") == 0)
            #expect(try left.first?.int("all") == 133)
        }
    }
}
