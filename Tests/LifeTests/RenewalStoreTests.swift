import MatchOrchestrator
import LACoordinator
import APIGateway
import Activities
import Postgres
import SightscreenModels
import Store
import TestKit
import Testing

@Suite struct RenewalStoreTests {
    private static let match = MatchID(1)
    private static let user = UserID("user1")
    private static let device = DeviceID("phone")
    private static let leaseIsOver =
        "UPDATE live_activities SET renewal_lease_until = clock_timestamp(), renewal_due_at = clock_timestamp()"

    /// A match in play and phones with an activity of it that began `ages` seconds ago.
    private struct Harness {
        var pool: PostgresPool
        var orchestrator: Lease
        var shards: [ShardLease]
        var store: OrchestratorStore { OrchestratorStore(pool: pool, batchSize: 2) }
        var activities: ActivityStore { ActivityStore(pool: pool) }

        init(_ pool: PostgresPool, ages: [Int]) async throws {
            self.pool = pool
            let held = try await LeaseStore(pool: pool).acquire(
                [.orchestrator] + (0..<64).map { .shard($0) }, holder: "test/1", duration: .seconds(600))
            orchestrator = try #require(held.first { $0.name == .orchestrator })
            shards = held.compactMap { ShardLease($0) }
            try await pool.execute(
                """
                INSERT INTO active_matches (match_id, display_state, version, stamp, content_state, went_live_at)
                VALUES (1, 'live', 1, 100, '{}', clock_timestamp() - interval '9 hours')
                """)
            for (number, age) in ages.enumerated() {
                try await pool.execute(
                    """
                    INSERT INTO devices (user_id, device_id, route, shard, push_to_start_token)
                    VALUES (concat('user', $1::int), 'phone', $1, $1, concat('aa', $1::int))
                    """, [.int(number + 1)])
                try await pool.execute(
                    "INSERT INTO match_follows (user_id, match_id) VALUES (concat('user', $1::int), 1)",
                    [.int(number + 1)])
                try await pool.execute(
                    """
                    INSERT INTO live_activities (match_id, user_id, device_id, generation, route, shard, status, start_id,
                        start_attempts, starts_sent, start_sent_at, activity_id, update_token, token_at, activated_at)
                    VALUES (1, concat('user', $1::int), 'phone', 1, $1, $1, 'active', concat('start-', $1::int), 1, 1,
                        clock_timestamp() - $2::bigint * interval '1 second', concat('activity-', $1::int),
                        concat('ee', $1::int), clock_timestamp(), clock_timestamp())
                    """, [.int(number + 1), .int(age)])
            }
        }

        func claim(_ seconds: Int = 120) async throws -> [StartClaim] {
            try await activities.claimRenewals(shards, limit: 100, lease: .seconds(seconds))
        }

        /// Each generation of a user, in order.
        func rows(_ user: UserID = user) async throws -> [String] {
            try await pool.query(
                """
                SELECT concat_ws(' ', generation, status, end_reason, end_push, end_dismissal, start_id, update_token)
                    AS line
                FROM live_activities WHERE user_id = $1 ORDER BY generation
                """, [.text(user.rawValue)]
            ).map { try $0.string("line") }
        }

        /// A request with its answer, in a batch or by itself.
        func register(
            _ token: String, activity: String? = nil, start: StartID? = nil, together: Bool = true
        ) async throws -> ActivityTokenRule.Action {
            let request = ActivityTokenRequest(
                activityToken: UpdateToken(token), deviceId: device, activityId: activity.map { ActivityID($0) },
                startId: start)
            if together {
                return try await ActivityTokenStore(pool: pool).register(request, match: match, user: user).action
            }
            // Somebody has the user's lock: it is left to be done alone.
            let holder = try await pool.holdUserLock(user)
            async let answer = ActivityTokenStore(pool: pool).register(request, match: match, user: user)
            try await Task.sleep(for: .milliseconds(300))
            holder.finish()
            return try await answer.action
        }
    }

    private func with(_ ages: [Int], _ body: (Harness) async throws -> Void) async throws {
        try await withDatabase { (pool: PostgresPool) async throws in
            try await body(try await Harness(pool, ages: ages))
        }
    }

    @Test func marksThoseThatAreOldEnoughOnceAndTellsHowOldTheOthersAre() async throws {
        try await with([28_000, 27_900, 27_800, 100, 20_000, 28_800, 28_900]) { harness in
            try await harness.pool.execute("UPDATE live_activities SET status = 'pending' WHERE user_id = 'user7'")
            let age = RenewalRule().after
            let found = try await harness.store.markRenewals(of: Self.match, from: age, under: harness.orchestrator)
            #expect(found.marked == 3)
            #expect(found.oldest.map { (27_800...27_890).contains($0.components.seconds) } == true)
            let again = try await harness.store.markRenewals(of: Self.match, from: age, under: harness.orchestrator)
            #expect(again.marked == 0)
            let other = try await harness.store.markRenewals(of: MatchID(2), from: age, under: harness.orchestrator)
            #expect(other.marked == 0 && other.oldest == nil)
            #expect(try await harness.claim().map(\.key.userID.rawValue).sorted() == ["user1", "user2"], "not at 8 h")
        }
    }

    /// The first two are older than the last ball, the third is younger.
    @Test func nothingIsRenewedWithoutABallSinceItBegan() async throws {
        try await with([28_200, 28_100, 27_950]) { harness in
            func ball(secondsAgo: Int) async throws {
                try await harness.pool.execute(
                    "UPDATE active_matches SET last_ball_at = clock_timestamp() - $1::bigint * interval '1 second'",
                    [.int(secondsAgo)])
            }
            func mark() async throws -> OrchestratorStore.Renewals {
                try await harness.store.markRenewals(
                    of: Self.match, from: RenewalRule().after, under: harness.orchestrator)
            }
            try await ball(secondsAgo: 28_300)
            #expect(try await mark().marked == 0)
            try await ball(secondsAgo: 28_000)
            let found = try await mark()
            #expect(found.marked == 2)
            // The tracker looks again at each pass while one waits.
            #expect(found.oldest.map { $0 >= RenewalRule().after } == true)
            try await ball(secondsAgo: 0)
            #expect(try await mark().marked == 1)
        }
    }

    @Test func aStaleEpochMarksAndEndsNothing() async throws {
        try await with([28_900]) { harness in
            let leases = LeaseStore(pool: harness.pool)
            try await leases.release([.orchestrator], holder: "test/1")
            _ = try await leases.acquire([.orchestrator], holder: "other/1", duration: .seconds(60))
            await #expect(throws: StoreError.self) {
                _ = try await harness.store.markRenewals(of: Self.match, from: .zero, under: harness.orchestrator)
            }
            await #expect(throws: StoreError.self) {
                _ = try await harness.store.endOutlived(under: harness.orchestrator)
            }
            #expect(
                try await harness.pool.query(
                    "SELECT 1 FROM live_activities WHERE renewal_due_at IS NULL AND status = 'active'"
                ).count == 1)
        }
    }

    /// By the columns of the newest version; where an event-bus of an older release wrote it, by its display state.
    @Test(arguments: [
        ("live", "innings", false, false), ("live", "lunch", true, true), ("inningsBreak", "inningsBreak", true, true),
        ("suspended", "interrupted", true, false), ("live", nil, nil, false), ("inningsBreak", nil, nil, true),
        ("suspended", nil, nil, false),
    ])
    func breaksAreKnownByColumns(state: String, phase: String?, isBreak: Bool?, isTaken: Bool) async throws {
        try await with([]) { harness in
            try await harness.pool.execute(
                """
                UPDATE active_matches SET display_state = $1, version = 7,
                    content_state = '{"expanded":{"status":"Lunch"}}'
                """, [.text(state)])
            try await harness.pool.execute(
                """
                INSERT INTO match_updates (match_id, version, stamp, content_state, priority, phase, is_break)
                VALUES (1, 6, 1, '{}', 5, 'innings', NOT $2::boolean), (1, 7, 2, '{}', 5, $1, $2::boolean)
                """, [PostgresValue(phase), PostgresValue(isBreak)])
            #expect(try await harness.store.matchesInPlay() == [Self.match: isTaken])
        }
    }

    @Test(arguments: ["at_stumps = true", "settled_at = clock_timestamp()", "ended_at = clock_timestamp()"])
    func nothingIsRenewedAtStumpsOrWhenTheMatchIsOver(change: String) async throws {
        try await with([28_000]) { harness in
            _ = try await harness.store.markRenewals(of: Self.match, from: .zero, under: harness.orchestrator)
            try await harness.pool.execute("UPDATE active_matches SET \(change)")
            #expect(try await harness.store.matchesInPlay().isEmpty)
            #expect(try await harness.claim().isEmpty)
        }
    }

    @Test func itsTriesAreThoseOfAStartAndCountAsStarts() async throws {
        try await with([28_000]) { harness in
            #expect(try await harness.claim().isEmpty, "not marked")
            _ = try await harness.store.markRenewals(of: Self.match, from: .zero, under: harness.orchestrator)
            for seconds in [200, 400, 600] {
                let claim = try #require(try await harness.claim(200).first)
                #expect(claim.isRenewal)
                let row = try await harness.pool.query(
                    """
                    SELECT round(extract(epoch FROM renewal_lease_until - renewal_sent_at))::int AS lease,
                        renewal_start_id, status FROM live_activities
                    """)[0]
                #expect(try row.int("lease") == seconds)
                #expect(try row.string("renewal_start_id") == claim.startID.rawValue)
                #expect(try row.string("status") == "active")
                #expect(try await harness.claim(200).isEmpty, "one is out")
                try await harness.pool.execute(Self.leaseIsOver)
            }
            #expect(try await harness.claim(200).isEmpty, "three tries")
            // Three starts of another match, and the phone has had its six.
            try await harness.pool.execute(
                """
                INSERT INTO active_matches (match_id, display_state, version, stamp, content_state, went_live_at)
                SELECT n, 'live', 1, 100, '{}', clock_timestamp() FROM generate_series(2, 6) AS n
                """)
            try await harness.pool.execute(
                """
                INSERT INTO live_activities (match_id, user_id, device_id, generation, route, shard)
                SELECT n, 'user1', 'phone', 1, 1, 1 FROM generate_series(2, 6) AS n
                """)
            #expect(
                try await harness.activities.claimStarts(harness.shards, limit: 100, lease: .seconds(120)).count == 3)
        }
    }

    @Test func whatCertainlyWasNotSentDoesNotCount() async throws {
        try await with([28_000]) { harness in
            _ = try await harness.store.markRenewals(of: Self.match, from: .zero, under: harness.orchestrator)
            for _ in 0..<5 {
                let claim = try #require(try await harness.claim().first)
                try await harness.activities.releaseStart(claim, after: .zero)
            }
            let row = try await harness.pool.query("SELECT * FROM live_activities")[0]
            #expect(try row.int("renewal_attempts") == 0 && row.int("starts_sent") == 1)
            #expect(try row.isNull("renewal_start_id"))
            let claim = try #require(try await harness.claim().first)
            try await harness.activities.giveUpStart(claim)
            try await harness.pool.execute(Self.leaseIsOver)
            #expect(try await harness.claim().isEmpty)
            #expect(try await harness.rows() == ["1 active none now start-1 ee1"])
        }
    }

    @Test(arguments: [true, false], [true, false])
    func theNewTokenTakesThePlaceAndTheOldActivityGetsItsEnd(together: Bool, namesStart: Bool) async throws {
        try await with([28_000]) { harness in
            _ = try await harness.store.markRenewals(of: Self.match, from: .zero, under: harness.orchestrator)
            let claim = try #require(try await harness.claim().first)
            // The running activity's token may still change.
            #expect(
                try await harness.register("ee2", activity: "activity-1", together: together) == .rotate(generation: 1))
            let action = try await harness.register(
                "ff1", activity: "activity-2", start: namesStart ? claim.startID : nil, together: together)
            #expect(action == .replace(generation: 1))
            let expected = [
                "1 ended match_end due now start-1 ee2", "2 active none now \(claim.startID.rawValue) ff1",
            ]
            #expect(try await harness.rows() == expected)
            // It counts from its start, and is not due again.
            #expect(try await harness.claim().isEmpty)
            let found = try await harness.store.markRenewals(
                of: Self.match, from: .seconds(60), under: harness.orchestrator)
            #expect(found.marked == 0)
            // Said once more, nothing changes; the old one's token is never used again.
            #expect(
                try await harness.register("ff1", activity: "activity-2", together: together) == .keep(generation: 2))
            #expect(
                try await harness.register("ee3", activity: "activity-1", together: together) == .end(generation: 1))
            #expect(try await harness.store.createPending(for: Self.match, under: harness.orchestrator).made == 0)
        }
    }

    @Test func theOldOnesDismissalIsRecordedAndTheNewOnesUnfollows() async throws {
        try await with([28_000]) { harness in
            _ = try await harness.store.markRenewals(of: Self.match, from: .zero, under: harness.orchestrator)
            let claim = try #require(try await harness.claim().first)
            _ = try await harness.register("ff1", activity: "activity-2", start: claim.startID)
            let tokens = ActivityTokenStore(pool: harness.pool)
            func dismiss(_ activity: String) async throws -> Bool {
                try await tokens.dismiss(
                    ActivityDismissedRequest(deviceId: Self.device, activityId: ActivityID(activity)),
                    match: Self.match, user: Self.user
                ).isFollowing
            }
            #expect(try await dismiss("activity-1"))
            #expect(try await harness.rows()[0].hasPrefix("1 ended match_end dropped"))
            #expect(try await harness.rows()[1].hasPrefix("2 active"))
            #expect(try await !dismiss("activity-2"))
            #expect(try await harness.rows()[1].hasPrefix("2 ended user_dismissed none"))
        }
    }

    @Test func theNewOneIsDismissedBeforeItsTokenCame() async throws {
        try await with([28_000]) { harness in
            _ = try await harness.store.markRenewals(of: Self.match, from: .zero, under: harness.orchestrator)
            let claim = try #require(try await harness.claim().first)
            _ = try await ActivityTokenStore(pool: harness.pool).dismiss(
                ActivityDismissedRequest(deviceId: Self.device, activityId: ActivityID("activity-2")),
                match: Self.match, user: Self.user)
            // The old one still stands on the Lock Screen.
            #expect(try await harness.rows() == ["1 ended user_dismissed due now start-1 ee1"])
            #expect(try await harness.register("ff1", activity: "activity-2", start: claim.startID) == .refuse)
        }
    }

    @Test func anUnfollowDuringTheRenewalEndsBoth() async throws {
        try await with([28_000]) { harness in
            _ = try await harness.store.markRenewals(of: Self.match, from: .zero, under: harness.orchestrator)
            let claim = try #require(try await harness.claim().first)
            try await FollowStore(pool: harness.pool).unfollow(Self.match, user: Self.user)
            #expect(try await harness.register("ff1", activity: "activity-2", start: claim.startID) == .refuse)
            #expect(
                try await harness.rows() == [
                    "1 ended user_unfollow due now start-1 ee1",
                    "2 ended user_unfollow due now \(claim.startID.rawValue) ff1",
                ])
        }
    }

    @Test func oneThatStaysUnresolvedEndsWithTheActivityAndANewOneIsStarted() async throws {
        try await with([28_000]) { harness in
            _ = try await harness.store.markRenewals(of: Self.match, from: .zero, under: harness.orchestrator)
            let claim = try #require(try await harness.claim().first)
            #expect(try await harness.store.endOutlived(under: harness.orchestrator).rows == 0)
            try await harness.pool.execute(
                "UPDATE live_activities SET start_sent_at = clock_timestamp() - interval '8 hours'")
            #expect(try await harness.store.endOutlived(under: harness.orchestrator).rows == 0, "it may still appear")
            try await harness.pool.execute(Self.leaseIsOver)
            let ended = try await harness.store.endOutlived(under: harness.orchestrator)
            #expect(ended.rows == 1 && ended.matches == [Self.match])
            #expect(try await harness.store.createPending(for: Self.match, under: harness.orchestrator).made == 1)
            #expect(
                try await harness.rows() == [
                    "1 ended match_end due now start-1 ee1", "2 pending none now",
                ])
            // What was lost appears after all: it is as good as any.
            #expect(
                try await harness.register("ff1", activity: "activity-2", start: claim.startID)
                    == .activate(generation: 2))
        }
    }
}

extension PostgresPool {
    /// Keeps a user's lock until the answer is told to finish.
    fileprivate func holdUserLock(_ user: UserID) async throws -> AsyncStream<Void>.Continuation {
        let (held, holding) = AsyncStream<Void>.makeStream()
        let (rest, finish) = AsyncStream<Void>.makeStream()
        Task {
            try await transaction { transaction in
                _ = try await transaction.query(
                    "SELECT pg_advisory_xact_lock(hashtextextended($1::text, 7))", [.text(user.rawValue)])
                holding.finish()
                for await _ in rest {}
            }
        }
        for await _ in held {}
        return finish
    }
}
