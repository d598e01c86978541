import Activities
import LACoordinator
import Postgres
import SightscreenModels
import Store
import TestKit
import Testing

/// What a coordinator reads of rows that changed.
@Suite struct ActivityChangesTests {
    private static func add(_ users: ClosedRange<Int>, _ pool: PostgresPool) async throws {
        try await pool.execute(
            """
            INSERT INTO live_activities (match_id, user_id, device_id, generation, route, shard, status, update_token)
            SELECT 1, 'user' || n, 'phone', 1, n, n % 64, 'active', 'token' || n
            FROM generate_series($1::int, $2::int) n
            """, [.int(users.lowerBound), .int(users.upperBound)])
    }

    private static func users(_ records: [ActivityRecord]) -> Set<Int> {
        Set(records.compactMap { Int($0.key.userID.rawValue.dropFirst("user".count)) })
    }

    private static let shards = Array(0..<64)

    @Test func manyChangesComePageByPage() async throws {
        try await withDatabase { (pool: PostgresPool) async throws in
            let store = ActivityStore(pool: pool, pageRows: 4)
            let begin = try await store.cursor()
            for first in stride(from: 1, to: 22, by: 7) { try await Self.add(first...first + 6, pool) }
            var pages: [[ActivityRecord]] = []
            _ = try await store.changes(since: begin, shards: Self.shards) { pages.append($0) }
            #expect(pages.map(\.count) == [4, 4, 4, 4, 4, 1])
            #expect(Self.users(pages.flatMap { $0 }) == Set(1...21))
            // A transaction after the other.
            #expect(Self.users(Array(pages.flatMap { $0 }.prefix(7))) == Set(1...7))
            // The others are not asked for.
            pages = []
            _ = try await store.changes(since: begin, shards: [3]) { pages.append($0) }
            #expect(Self.users(pages.flatMap { $0 }) == [3])
        }
    }

    /// It began before all that is read, and ends when its place in the order has been passed.
    @Test func whatIsCommittedBetweenTwoPagesIsNotMissed() async throws {
        try await withDatabase { (pool: PostgresPool) async throws in
            let store = ActivityStore(pool: pool, pageRows: 4)
            try await Self.add(1...2, pool)
            let begin = try await store.cursor()
            var (seen, next): ([ActivityRecord], String) = ([], begin)
            try await pool.transaction { early in
                try await early.execute("UPDATE live_activities SET update_token = 'late' WHERE user_id = 'user1'")
                try await Self.add(11...20, pool)
                next = try await store.changes(since: begin, shards: Self.shards) { records in
                    if seen.isEmpty { _ = try await early.query("COMMIT") }
                    seen += records
                }
                #expect(!seen.contains { $0.updateToken == UpdateToken("late") }, "its place has been passed")
                _ = try await early.query("BEGIN")
            }
            #expect(Self.users(seen).isSuperset(of: 11...20))
            var later: [ActivityRecord] = []
            _ = try await store.changes(since: next, shards: Self.shards) { later += $0 }
            #expect(later.contains { $0.updateToken == UpdateToken("late") })
        }
    }

    @Test func whatChangesAgainBeforeItsPageIsReadIsNotMissed() async throws {
        try await withDatabase { (pool: PostgresPool) async throws in
            let store = ActivityStore(pool: pool, pageRows: 4)
            let begin = try await store.cursor()
            try await Self.add(1...12, pool)
            var records: [ActivityRecord] = []
            _ = try await store.changes(since: begin, shards: Self.shards) { page in
                if records.isEmpty {
                    try await pool.execute(
                        """
                        UPDATE live_activities SET status = 'ended', end_reason = 'user_unfollow'
                        WHERE user_id IN ('user1', 'user9')
                        """)
                }
                records += page
            }
            #expect(Self.users(records) == Set(1...12))
            // Its last word counts.
            for user in ["user1", "user9"] {
                #expect(records.last { $0.key.userID == UserID(user) }?.status == .ended)
            }
        }
    }

    /// A dump brings the marks of another server, which may have begun more transactions than this one will for years.
    @Test func theMarksOfARestoredDumpAreNoChanges() async throws {
        try await withDatabase { (pool: PostgresPool) async throws in
            let store = ActivityStore(pool: pool)
            try await Self.add(1...2, pool)
            try await pool.execute("UPDATE live_activities SET changed_xid = '1000000000000'")
            let begin = try await store.cursor()
            var records: [ActivityRecord] = []
            let next = try await store.changes(since: begin, shards: Self.shards) { records += $0 }
            #expect(records.isEmpty)
            #expect(try await store.changedShards(since: begin, of: Self.shards) == [])
            try await pool.execute("UPDATE live_activities SET update_token = 'new' WHERE user_id = 'user1'")
            _ = try await store.changes(since: next, shards: Self.shards) { records += $0 }
            #expect(Self.users(records) == [1])
            #expect(try await store.changedShards(since: begin, of: Self.shards) == [1])
        }
    }
}
