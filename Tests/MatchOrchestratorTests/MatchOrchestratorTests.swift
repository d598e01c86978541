import Cricket
import Logging
import MatchOrchestrator
import Postgres
import SightscreenModels
import Store
import Synchronization
import TestKit
import Testing

@Suite struct MatchOrchestratorTests {
    private static let match = MatchID(1_304_076)
    private let logger = Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })

    /// Counts the notifications.
    private final class NotificationLog: Sendable {
        private let received = Mutex<[MatchID]>([])
        func note(_ match: MatchID) { received.withLock { $0.append(match) } }
        var matches: [MatchID] { received.withLock { $0 } }
    }

    private func orchestrator(_ pool: PostgresPool, _ notifications: NotificationLog, hold: Duration = .seconds(60))
        -> MatchOrchestrator
    {
        MatchOrchestrator(
            store: OrchestratorStore(pool: pool, batchSize: 3),
            timing: .init(
                interval: .seconds(30), startLead: .zero, resultHold: hold, followRetention: .seconds(172_800)),
            logger: logger, notify: { notifications.note($0) })
    }

    private func follow(_ pool: PostgresPool, users: Int) async throws {
        try await pool.execute(
            """
            INSERT INTO devices (user_id, device_id, route, shard, push_to_start_token)
            SELECT 'user-' || n, 'phone', n, n % 64, 'token-' || n FROM generate_series(1, $1::int) AS n
            """, [.int(users)])
        try await pool.execute(
            """
            INSERT INTO match_follows (user_id, match_id)
            SELECT 'user-' || n, $2::bigint FROM generate_series(1, $1::int) AS n
            """, [.int(users), .int(Self.match.rawValue)])
    }

    private func goLive(_ pool: PostgresPool) async throws {
        try await pool.execute(
            """
            INSERT INTO active_matches (match_id, display_state, version, stamp, content_state, went_live_at)
            VALUES ($1, 'live', 1, 1, '{}', clock_timestamp() - interval '2 minutes')
            """, [.int(Self.match.rawValue)])
    }

    private func lease(_ pool: PostgresPool, _ holder: String = "test/1") async throws -> Lease {
        try #require(
            try await LeaseStore(pool: pool).acquire([.orchestrator], holder: holder, duration: .seconds(60)).first)
    }

    private func activities(_ pool: PostgresPool, _ status: String) async throws -> Int {
        try await pool.query("SELECT count(*) AS n FROM live_activities WHERE status = $1", [.text(status)])
            .first?.int("n") ?? -1
    }

    @Test func aMatchGoesLiveOnceForEveryFollower() async throws {
        try await withDatabase { (pool: PostgresPool) async throws in
            let notifications = NotificationLog()
            let orchestrator = orchestrator(pool, notifications)
            let lease = try await lease(pool)
            try await follow(pool, users: 10)
            #expect(await orchestrator.runOnce(under: lease, syncs: 0) == .seconds(30))
            #expect(notifications.matches.isEmpty)
            try await goLive(pool)
            _ = await orchestrator.runOnce(under: lease, syncs: 0)
            #expect(try await activities(pool, "pending") == 10)
            #expect(Set(notifications.matches) == [Self.match])
            let received = notifications.matches.count
            _ = await orchestrator.runOnce(under: lease, syncs: 0)
            #expect(try await activities(pool, "pending") == 10)
            #expect(notifications.matches.count == received)
        }
    }

    @Test func theFirstActivitiesOfAMatchDoNotWaitForTheLast() async throws {
        try await withDatabase { (pool: PostgresPool) async throws in
            let made = Mutex<[Int]>([])
            let orchestrator = MatchOrchestrator(
                store: OrchestratorStore(pool: pool, batchSize: 3),
                timing: .init(
                    interval: .seconds(30), startLead: .zero, resultHold: .seconds(60),
                    followRetention: .seconds(172_800)), logger: logger,
                notify: { _ in
                    let count = (try? await self.activities(pool, "pending")) ?? -1
                    made.withLock { $0.append(count) }
                })
            try await follow(pool, users: 100)
            try await goLive(pool)
            _ = await orchestrator.runOnce(under: try await lease(pool), syncs: 0)
            let counts = made.withLock { $0 }
            #expect(counts.first == 3, "after the first page: \(counts)")
            #expect(counts.last == 100, "after the last: \(counts)")
            // 34 pages take less than some seconds: not one notification for each.
            #expect(counts.count < 34, "\(counts)")
        }
    }

    /// Minutes of the activity's life, what the match does, and whether it is renewed at this look.
    @Test(arguments: [
        (464, "display_state = 'live'", false), (466, "display_state = 'live'", true),
        (404, "display_state = 'inningsBreak'", false), (406, "display_state = 'inningsBreak'", true),
        (470, "at_stumps = true, updated_at = now() - interval '1 hour'", false),
        (470, "settled_at = clock_timestamp()", false),
    ])
    func anActivityIsRenewedBeforeItsEightHoursAreOver(minutes: Int, play: String, isRenewed: Bool) async throws {
        try await withDatabase { (pool: PostgresPool) async throws in
            let notifications = NotificationLog()
            let orchestrator = orchestrator(pool, notifications)
            let lease = try await lease(pool)
            try await follow(pool, users: 10)
            try await goLive(pool)
            _ = await orchestrator.runOnce(under: lease, syncs: 0)
            let received = notifications.matches.count
            try await pool.execute(
                """
                UPDATE live_activities SET status = 'active', update_token = 'token of ' || user_id,
                    start_sent_at = clock_timestamp() - $1::bigint * interval '1 minute'
                """, [.int(minutes)])
            try await pool.execute("UPDATE active_matches SET \(play)")
            // Another one in charge: it has not looked yet.
            _ = await self.orchestrator(pool, notifications).runOnce(under: lease, syncs: 0)
            let due = try await pool.query(
                "SELECT count(*) AS n FROM live_activities WHERE renewal_due_at IS NOT NULL")[0].int("n")
            #expect(due == (isRenewed ? 10 : 0))
            #expect(notifications.matches.count - received == (isRenewed || play.hasPrefix("at_stumps") ? 1 : 0))
        }
    }

    @Test(.timeLimit(.minutes(1))) func theFirstBallOfAMorningDoesNotWaitForTheNextPass() async throws {
        try await withDatabase { (pool: PostgresPool) async throws in
            try await goLive(pool)
            try await pool.execute("UPDATE active_matches SET at_stumps = true")
            let orchestrator = orchestrator(pool, NotificationLog())
            _ = await orchestrator.runOnce(under: try await lease(pool), syncs: 0)
            let began = ContinuousClock.now
            async let rest: Void = orchestrator.rest(for: .seconds(300))
            try await Task.sleep(for: .seconds(3))
            try await pool.execute("UPDATE active_matches SET at_stumps = false")
            await rest
            #expect(.now - began < .seconds(10))
            // A match that is known to be in play cuts no pause short.
            _ = await orchestrator.runOnce(under: try await lease(pool), syncs: 0)
            let again = ContinuousClock.now
            await orchestrator.rest(for: .seconds(5))
            #expect(.now - again >= .seconds(5))
        }
    }

    @Test func twoThatBothBelieveToBeInChargeMakeNoDouble() async throws {
        try await withDatabase { (pool: PostgresPool) async throws in
            let lease = try await lease(pool)
            try await follow(pool, users: 50)
            try await goLive(pool)
            let notifications = NotificationLog()
            let (first, second) = (orchestrator(pool, notifications), orchestrator(pool, notifications))
            async let one = first.runOnce(under: lease, syncs: 0)
            async let two = second.runOnce(under: lease, syncs: 0)
            _ = await (one, two)
            #expect(try await activities(pool, "pending") == 50)
        }
    }

    @Test func oneThatWasReplacedWhileItSleptChangesNothing() async throws {
        try await withDatabase { (pool: PostgresPool) async throws in
            let old = try await lease(pool)
            try await LeaseStore(pool: pool).release([.orchestrator], holder: "test/1")
            _ = try await lease(pool, "other/1")
            try await follow(pool, users: 5)
            try await goLive(pool)
            let notifications = NotificationLog()
            let pause = await orchestrator(pool, notifications).runOnce(under: old, syncs: 0)
            // It may be in charge again long before its next pass: the lease is what it waits for then, but never in a
            // spin.
            #expect(pause > .zero && pause <= .seconds(1))
            #expect(try await activities(pool, "pending") == 0)
            #expect(notifications.matches.isEmpty)
        }
    }

    @Test func aResultIsHeldAndThenEndsEveryActivityOnce() async throws {
        try await withDatabase { (pool: PostgresPool) async throws in
            let notifications = NotificationLog()
            let orchestrator = orchestrator(pool, notifications, hold: .milliseconds(400))
            let lease = try await lease(pool)
            try await follow(pool, users: 10)
            try await goLive(pool)
            _ = await orchestrator.runOnce(under: lease, syncs: 0)
            let received = notifications.matches.count
            try await pool.execute(
                "UPDATE active_matches SET display_state = 'completed', settled_at = clock_timestamp()")
            let pause = await orchestrator.runOnce(under: lease, syncs: 0)
            // It does not sleep past the end of the hold.
            #expect(pause < .seconds(1))
            try await Task.sleep(for: pause)
            try await eventually("all activities have ended") {
                _ = await orchestrator.runOnce(under: lease, syncs: 0)
                return try await activities(pool, "ended") == 10
            }
            #expect(Set(notifications.matches) == [Self.match])
            #expect(notifications.matches.count == received + 1)
            #expect(
                try await pool.query(
                    "SELECT 1 FROM match_follows WHERE expires_at > clock_timestamp() + interval '47 hours'"
                ).count == 10)
            _ = await orchestrator.runOnce(under: lease, syncs: 0)
            #expect(try await activities(pool, "pending") == 0)
            #expect(notifications.matches.count == received + 1)
        }
    }

    @Test func aCancelledMatchEndsAtTheSecondSyncThatSaysSo() async throws {
        try await withDatabase { (pool: PostgresPool) async throws in
            let notifications = NotificationLog()
            let orchestrator = orchestrator(pool, notifications, hold: .zero)
            let lease = try await lease(pool)
            try await follow(pool, users: 3)
            try await goLive(pool)
            _ = await orchestrator.runOnce(under: lease, syncs: 1)
            try await FixtureStore(pool: pool).upsert(
                [
                    FixtureRecord(
                        matchID: Self.match, leagueID: 1, competition: "", round: "", format: .twenty20,
                        status: "Cancl.", startsAt: nil, home: Team(id: 1, name: "A", code: "A"),
                        away: Team(id: 2, name: "B", code: "B"), venue: "", note: nil, winnerID: nil)
                ], under: lease)
            _ = await orchestrator.runOnce(under: lease, syncs: 2)
            #expect(try await activities(pool, "pending") == 3)
            _ = await orchestrator.runOnce(under: lease, syncs: 3)
            #expect(try await activities(pool, "ended") == 3)
            #expect(try await pool.query("SELECT 1 FROM match_follows WHERE expires_at IS NULL").isEmpty)
        }
    }

    @Test func aFailingStepDoesNotKeepTheOthersFromBeingDone() async throws {
        try await withDatabase { (pool: PostgresPool) async throws in
            let notifications = NotificationLog()
            let orchestrator = orchestrator(pool, notifications)
            let lease = try await lease(pool)
            try await follow(pool, users: 3)
            try await goLive(pool)
            // Ends fail, starts go on.
            try await pool.execute("ALTER TABLE fixtures RENAME COLUMN missing_since TO gone")
            try await pool.execute("ALTER TABLE fixtures ADD COLUMN missing_since text")
            _ = await orchestrator.runOnce(under: lease, syncs: 0)
            try await pool.execute("ALTER TABLE fixtures DROP COLUMN missing_since")
            try await pool.execute("ALTER TABLE fixtures RENAME COLUMN gone TO missing_since")
            #expect(try await activities(pool, "pending") == 3)
            _ = await orchestrator.runOnce(under: lease, syncs: 0)
            #expect(try await activities(pool, "pending") == 3)
        }
    }
}
