import Postgres
import SightscreenModels
import TestKit
import Testing

@testable import Store
@testable import APIGateway

/// How a batch finds its rows.
@Suite struct ActivityTokenPlanTests {
    private static let match = MatchID(1)

    private static func job(_ user: String, _ token: String) -> ActivityTokenJob {
        ActivityTokenJob(
            request: ActivityTokenRequest(activityToken: UpdateToken(token), deviceId: DeviceID("phone")), match: match,
            user: UserID(user))
    }

    private static func seed(_ pool: PostgresPool, _ user: String) async throws {
        try await pool.execute(
            """
            INSERT INTO fixtures (match_id, league_id, competition, format, status, home_id, home_name, home_code,
                away_id, away_name, away_code)
            VALUES (1, 1, 'League', 'twenty20', 'NS', 1, 'A', 'A', 2, 'B', 'B') ON CONFLICT DO NOTHING
            """)
        for statement in [
            "INSERT INTO match_follows (user_id, match_id) VALUES ($1, 1)",
            "INSERT INTO devices (user_id, device_id, route, shard) VALUES ($1, 'phone', 1, 1)",
            """
            INSERT INTO live_activities (match_id, user_id, device_id, generation, route, shard, start_sent_at)
            VALUES (1, $1, 'phone', 1, 1, 1, now())
            """,
        ] { try await pool.execute(statement, [.text(user)]) }
    }

    /// The server would plan a batch of a few anew each time: that takes longer than everything else.
    @Test func aBatchOfOneIsPlannedOnce() async throws {
        // One connection for plain queries, and one for batches and transactions.
        try await withDatabase(size: 2) { (pool: PostgresPool) async throws in
            try await Self.seed(pool, "ann")
            let store = ActivityTokenStore(pool: pool)
            for round in 1...12 {
                let job = Self.job("ann", "token\(round)")
                _ = try await store.register(job.request, match: job.match, user: job.user)
            }
            let rows = try await pool.transaction { transaction in
                try await transaction.query(
                    """
                    SELECT custom_plans::int AS custom, generic_plans::int AS generic
                    FROM pg_prepared_statements WHERE statement LIKE '%unnest(%' ORDER BY custom_plans
                    """)
            }
            let plans = try rows.map { [try $0.int("custom"), try $0.int("generic")] }
            #expect(plans.contains([0, 12]))
            #expect(plans.allSatisfy { $0[0] == 0 }, "\(plans)")
        }
    }

    /// A row is fetched from where it was read. Here another phone's has come to that very place, with the same mark.
    @Test func whatHasComeToARowsPlaceIsNotTakenForIt() async throws {
        try await withDatabase { (pool: PostgresPool) async throws in
            try await Self.seed(pool, "ann")
            let place = "SELECT ctid, changed_xid FROM live_activities"
            let before = try await pool.query(place)
            let batch = try ActivityTokenBatch([Self.job("ann", "a1")], .inClear, dismissAfter: 900)
            let (_, answers) = try await pool.exchange(reading: batch.reading) { ([], $0) }
            try await pool.execute("DELETE FROM live_activities")
            try await pool.execute("VACUUM live_activities")
            let mark = try #require(before.first).string("changed_xid")
            try await pool.execute(
                """
                INSERT INTO live_activities (match_id, user_id, device_id, generation, route, shard, changed_xid)
                VALUES (1, 'bob', 'phone', 1, 1, 1, $1)
                """, [.text(mark)])
            let after = try await pool.query(place)
            #expect(try after.map { try $0.string("ctid") } == before.map { try $0.string("ctid") })
            let (written, plan) = try await pool.exchange(reading: []) { _ in try batch.decide(answers) }
            let outcomes = try batch.outcomes(plan, written: written, contentStates: [:])
            guard case .retry = outcomes[0] else {
                Issue.record("\(outcomes)")
                return
            }
            let tokens = try await pool.query("SELECT update_token FROM live_activities")
            #expect(try tokens.map { try $0.optionalString("update_token") } == [nil])
        }
    }

    /// Also while the tables are empty as far as their statistics know: the plan is kept when a million rows have come.
    @Test func nothingIsFoundByGoingThroughATable() async throws {
        try await withDatabase(size: 3) { (pool: PostgresPool) async throws in
            for _ in 0..<2 {
                let plan = try await pool.transaction { transaction in
                    try await transaction.execute(ActivityTokenBatch.asPlannedOnce)
                    try await transaction.execute(
                        "PREPARE reading (bigint[], text[], text[], text[]) AS \(ActivityTokenBatch.readFacts)")
                    let lines = try await transaction.query(
                        "EXPLAIN (COSTS OFF) EXECUTE reading ('{1}', '{ann}', '{phone}', '{a1}')")
                    try await transaction.execute("DEALLOCATE reading")
                    return try lines.map { try $0.string("QUERY PLAN") }.joined(separator: "\n")
                }
                #expect(!plan.contains("Seq Scan"), "\(plan)")
                #expect(plan.contains("using live_activities_pkey on"), "\(plan)")
                // A walk over all ends that are due, or over all phones.
                for index in ["ends", "current", "changes"] { #expect(!plan.contains("_\(index)"), "\(plan)") }
                for table in ["live_activities", "devices", "deleted_users"] {
                    _ = try await pool.withConnection { try await $0.execute("VACUUM ANALYZE \(table)") }
                }
            }
        }
    }

    /// Statistics of a time when no end was due: the plan is kept when a million are.
    @Test(arguments: [true, false]) func whoHasATokenIsNotLookedForAmongAllEnds(_ isReading: Bool) async throws {
        try await withDatabase(size: 3) { (pool: PostgresPool) async throws in
            let statement =
                isReading
                ? "PREPARE looking (text[]) AS \(ActivityTokenBatch.readOwners)"
                : "PREPARE looking (int[], bigint[], text[], text[], text[]) AS \(ActivityTokenWrite.taking)"
            let execution = isReading ? "looking ('{a1}')" : "looking ('{0}', '{1}', '{ann}', '{phone}', '{a1}')"
            for round in 0..<2 {
                let plan = try await pool.transaction { transaction in
                    try await transaction.execute(ActivityTokenBatch.asPlannedOnce)
                    try await transaction.execute(statement)
                    let lines = try await transaction.query("EXPLAIN (COSTS OFF) EXECUTE \(execution)")
                    try await transaction.execute("DEALLOCATE looking")
                    return try lines.map { try $0.string("QUERY PLAN") }.joined(separator: "\n")
                }
                #expect(!plan.contains("Seq Scan"), "\(plan)")
                for index in ["live_activities_due_token_key", "live_activities_token_key"] {
                    #expect(plan.contains("using \(index) on"), "\(plan)")
                }
                for index in ["ends", "current", "changes"] { #expect(!plan.contains("_\(index)"), "\(plan)") }
                try await pool.execute(
                    """
                    INSERT INTO live_activities (match_id, user_id, device_id, generation, route, shard, status, update_token)
                    SELECT 1, 'user' || \(round) || n, 'phone', 1, n, n % 64, 'active', 'token' || \(round) || n
                    FROM generate_series(1, 2000) n
                    """)
                _ = try await pool.withConnection { try await $0.execute("VACUUM ANALYZE live_activities") }
            }
        }
    }
}
