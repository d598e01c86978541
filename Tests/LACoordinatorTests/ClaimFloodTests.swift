import Activities
import Postgres
import SightscreenModels
import Store
import TestKit
import Testing

@testable import LACoordinator

/// Many accounts claim a few phones, none of which is theirs.
@Suite struct ClaimFloodTests {
    private struct Harness {
        let pool: PostgresPool
        let shards: [ShardLease]
        var store: ActivityStore { ActivityStore(pool: pool) }

        /// - Parameter accounts: how many claim each of ten phones, all since an hour ago at most.
        init(_ pool: PostgresPool, accounts: Int) async throws {
            self.pool = pool
            shards = try await LeaseStore(pool: pool).acquire(
                (0..<64).map { .shard($0) }, holder: "test/1", duration: .seconds(600)
            ).compactMap { ShardLease($0) }
            try await pool.execute(
                """
                INSERT INTO devices (user_id, device_id, route, shard, device_token)
                SELECT 'owner' || n, 'phone', n, n, 'token' || n FROM generate_series(1, 10) AS n
                """)
            try await pool.execute(
                """
                INSERT INTO phone_claims (token_key, user_id, device_id, challenge, due_at)
                SELECT token_key('token' || n), 'user' || i, 'phone', n || '-' || i,
                    clock_timestamp() - make_interval(secs => i % 1000)
                FROM generate_series(1, 10) AS n, generate_series(1, $1::int) AS i
                """, [.int(accounts)])
            try await pool.execute("ANALYZE phone_claims, devices, leases")
        }

        /// The rows that one statement for nonces reads, summed over the steps of its plan.
        func rowsRead() async throws -> Double {
            let parameters = ActivityStore.parameters(shards, limit: 1_000, bundleID: "")
            let plan = try await pool.query(
                "EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF) \(ActivityStore.claimNonces)", parameters
            ).map { try $0.string("QUERY PLAN") }
            var sum = 0.0
            var loops = 1.0
            for line in plan {
                if let step = line.firstMatch(of: /actual rows=([0-9.]+) loops=([0-9]+)/) {
                    loops = Double(step.2) ?? 0
                    sum += (Double(step.1) ?? 0) * loops
                } else if let removed = line.firstMatch(of: /Rows Removed by [A-Za-z ]+: ([0-9]+)/) {
                    sum += (Double(removed.1) ?? 0) * loops
                }
            }
            return sum
        }
    }

    /// Ten times as many claims to the same phones cost ten times as many rows, and not a hundred times: before the
    /// pushes of an hour, and when they have left.
    @Test func theCostOfNoncesGrowsAsTheClaimsDo() async throws {
        var costs: [[Double]] = []
        for accounts in [40, 400] {
            try await withDatabase { (pool: PostgresPool) async throws in
                let harness = try await Harness(pool, accounts: accounts)
                var cost: [Double] = []
                for _ in 0...PhoneClaimSQL.pushesMax { cost.append(try await harness.rowsRead()) }
                costs.append(cost)
                let sent = try await pool.query("SELECT FROM phone_claims WHERE sent_at IS NOT NULL")
                #expect(sent.count == 10 * PhoneClaimSQL.pushesMax, "one push a phone each time, and no fourth")
            }
        }
        for (few, many) in zip(costs[0], costs[1]) {
            #expect(few > 400 && many < 15 * few, "rows read: \(costs)")
        }
    }
}
