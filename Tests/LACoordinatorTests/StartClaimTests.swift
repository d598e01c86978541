import MatchOrchestrator
import LACoordinator
import APIGateway
import Activities
import Postgres
import SightscreenModels
import Store
import TestKit
import Testing

@Suite struct StartClaimTests {
    private static let device = DeviceID("phone")
    private static let user = UserID("ann")
    private static let route = DeviceRoute(user: user, device: device)

    /// One phone whose owner follows `matches` matches in play, with a pending activity for each.
    private func follower(_ pool: PostgresPool, of matches: Int) async throws -> [ShardLease] {
        try await pool.execute(
            """
            INSERT INTO devices (user_id, device_id, route, shard, push_to_start_token, push_to_start_token_at)
            VALUES ($1, $2, $3, $4, 'aa01', clock_timestamp())
            """,
            [.text(Self.user.rawValue), .text(Self.device.rawValue), .int(Self.route.hash), .int(Self.route.shard)])
        for match in 1...matches {
            try await pool.execute(
                """
                INSERT INTO active_matches (match_id, display_state, version, stamp, content_state, went_live_at)
                VALUES ($1, 'live', 1, 100, '{}', clock_timestamp())
                """, [.int(match)])
            try await pool.execute(
                "INSERT INTO match_follows (user_id, match_id) VALUES ($1, $2)",
                [.text(Self.user.rawValue), .int(match)])
            try await pool.execute(
                """
                INSERT INTO live_activities (match_id, user_id, device_id, generation, route, shard)
                VALUES ($1, $2, $3, 1, $4, $5)
                """,
                [
                    .int(match), .text(Self.user.rawValue), .text(Self.device.rawValue), .int(Self.route.hash),
                    .int(Self.route.shard),
                ])
        }
        return try await LeaseStore(pool: pool).acquire(
            [.shard(Self.route.shard)], holder: "test/1", duration: .seconds(60)
        ).compactMap { ShardLease($0) }
    }

    @Test func aPhoneGetsNoMoreStartsAnHourThanItGrantsHoweverManyMatchesBeginAtOnce() async throws {
        try await withDatabase { (pool: PostgresPool) async throws in
            let holds = try await follower(pool, of: 9)
            let store = ActivityStore(pool: pool)
            let first = try await store.claimStarts(holds, limit: 4, lease: .seconds(120))
            #expect(first.map(\.key.matchID.rawValue).sorted() == [1, 2, 3, 4])
            let second = try await store.claimStarts(holds, limit: 1_000, lease: .seconds(120))
            #expect(second.map(\.key.matchID.rawValue).sorted() == [5, 6])
            #expect(try await store.claimStarts(holds, limit: 1_000, lease: .seconds(120)).isEmpty)
        }
    }

    /// Starts of the same day, longer than an hour ago, of other matches.
    private func startedToday(_ pool: PostgresPool, _ starts: Int, device: String = "phone") async throws {
        try await pool.execute(
            """
            INSERT INTO live_activities (match_id, user_id, device_id, generation, route, shard, status, end_reason,
                start_attempts, starts_sent, start_sent_at)
            SELECT 100 + n, $1, $2, 1, 1, 1, 'ended', 'match_end', 1, 1, clock_timestamp() - interval '2 hours'
            FROM generate_series(1, $3::int) AS n
            """, [.text(Self.user.rawValue), .text(device), .int(starts)])
    }

    @Test func aPhoneGetsTwentyFourStartsADay() async throws {
        try await withDatabase { (pool: PostgresPool) async throws in
            let holds = try await follower(pool, of: 5)
            try await startedToday(pool, 22)
            let store = ActivityStore(pool: pool)
            #expect(try await store.claimStarts(holds, limit: 1_000, lease: .seconds(120)).count == 2)
            #expect(try await store.claimStarts(holds, limit: 1_000, lease: .seconds(120)).isEmpty)
            // Nor is a record made of what cannot be started.
            let lease = try #require(
                try await LeaseStore(pool: pool).acquire([.orchestrator], holder: "test/1", duration: .seconds(60))
                    .first)
            try await pool.execute("DELETE FROM live_activities WHERE status = 'pending' AND start_sent_at IS NULL")
            let orchestrator = OrchestratorStore(pool: pool)
            #expect(try await orchestrator.createPending(for: MatchID(5), under: lease).made == 0)
            // A day later.
            try await pool.execute(
                "UPDATE live_activities SET start_sent_at = start_sent_at - interval '23 hours' WHERE match_id > 100")
            #expect(try await orchestrator.createPending(for: MatchID(5), under: lease).made == 1)
            #expect(try await store.claimStarts(holds, limit: 1_000, lease: .seconds(120)).count == 1)
        }
    }

    @Test func theDayIsCountedOnWhenTheAppRegistersAgainAndNotByWhatWasNeverSent() async throws {
        try await withDatabase { (pool: PostgresPool) async throws in
            let holds = try await follower(pool, of: 1)
            try await startedToday(pool, 22)
            let store = ActivityStore(pool: pool)
            func claim() async throws -> StartClaim? {
                try await store.claimStarts(holds, limit: 10, lease: .seconds(120)).first
            }
            // Taken back: it did not leave.
            let first = try #require(try await claim())
            try await store.releaseStart(first, after: .zero)
            _ = try #require(try await claim())
            try await pool.execute(
                "UPDATE live_activities SET start_attempts = 3, start_given_up_at = clock_timestamp()")
            _ = try await DeviceStore(pool: pool).register(
                PushToStartRegistration(pushToStartToken: PushToStartToken("aa01"), deviceId: Self.device),
                user: Self.user)
            _ = try #require(try await claim())
            try await pool.execute(
                """
                UPDATE live_activities SET start_attempts = 0, start_given_up_at = NULL, start_lease_until = NULL
                WHERE status = 'pending'
                """)
            #expect(try await claim() == nil)
        }
    }

    /// A phone that comes under ever new names, each with starts of its own.
    @Test func allPhonesOfAUserTogetherHaveABoundToo() async throws {
        try await withDatabase { (pool: PostgresPool) async throws in
            let holds = try await follower(pool, of: 5)
            try await startedToday(pool, StartPolicy.perUserDayMax - 1, device: "earlier name")
            let store = ActivityStore(pool: pool)
            #expect(try await store.claimStarts(holds, limit: 1_000, lease: .seconds(120)).count == 1)
            #expect(try await store.claimStarts(holds, limit: 1_000, lease: .seconds(120)).isEmpty)
        }
    }

    /// Who has waited for longest comes first, and phones that may get nothing more keep nobody else waiting.
    @Test func theOldestThatMayBeStartedAreTakenHoweverManyBeforeThemMayNot() async throws {
        try await withDatabase { (pool: PostgresPool) async throws in
            let holds = try await follower(pool, of: 1)
            try await startedToday(pool, StartPolicy.perDeviceDayMax)
            for number in 0..<6 {
                try await pool.execute(
                    """
                    INSERT INTO devices (user_id, device_id, route, shard, push_to_start_token)
                    VALUES (concat('user', $1::int), 'phone', 1, $2, concat('bb', $1::int))
                    """, [.int(number), .int(Self.route.shard)])
                try await pool.execute(
                    """
                    INSERT INTO live_activities (match_id, user_id, device_id, generation, route, shard, created_at)
                    VALUES (1, concat('user', $1::int), 'phone', 1, 1, $2, clock_timestamp() + $1 * interval '1 second')
                    """, [.int(number), .int(Self.route.shard)])
            }
            // No token to start it with.
            try await pool.execute("UPDATE devices SET push_to_start_token = NULL WHERE user_id = 'user1'")
            let store = ActivityStore(pool: pool)
            func claimed(_ limit: Int) async throws -> [String] {
                try await store.claimStarts(holds, limit: limit, lease: .seconds(120)).map(\.key.userID.rawValue)
                    .sorted()
            }
            #expect(try await claimed(2) == ["user0", "user2"])
            // Somebody is changing the next one: it is not waited for.
            try await pool.transaction { transaction in
                try await transaction.execute("UPDATE live_activities SET start_attempts = 1 WHERE user_id = 'user3'")
                #expect(try await claimed(9) == ["user4", "user5"])
            }
            #expect(try await claimed(9) == ["user3"])
        }
    }

    /// However many stand before it that may get nothing more today; those are not all looked at each time.
    @Test func behindManyThatMayNotBeStartedAThoroughScanFindsTheOneThatMay() async throws {
        try await withDatabase { (pool: PostgresPool) async throws in
            let holds = try await follower(pool, of: 1)
            try await startedToday(pool, StartPolicy.perDeviceDayMax)
            try await pool.execute(
                """
                INSERT INTO devices (user_id, device_id, route, shard, push_to_start_token)
                SELECT concat('user', n), 'phone', 1, $1, CASE WHEN n = 200 THEN 'cc' END FROM generate_series(1, 200) n
                """, [.int(Self.route.shard)])
            try await pool.execute(
                """
                INSERT INTO live_activities (match_id, user_id, device_id, generation, route, shard, created_at)
                SELECT 1, concat('user', n), 'phone', 1, 1, $1, clock_timestamp() + n * interval '1 second'
                FROM generate_series(1, 200) n
                """, [.int(Self.route.shard)])
            let store = ActivityStore(pool: pool)
            #expect(try await store.claimStarts(holds, limit: 10, lease: .seconds(120)).isEmpty)
            let found = try await store.claimStarts(holds, limit: 10, lease: .seconds(120), isThorough: true)
            #expect(found.map(\.key.userID) == [UserID("user200")])
        }
    }

    @Test func eachTryOfAGenerationHasALongerLeaseAndNoneGoesOutWhileAnotherIsUnresolved() async throws {
        try await withDatabase { (pool: PostgresPool) async throws in
            let holds = try await follower(pool, of: 1)
            let store = ActivityStore(pool: pool)
            for (attempt, seconds) in [(1, 200), (2, 400), (3, 600)] {
                let claim = try #require(
                    try await store.claimStarts(holds, limit: 10, lease: .seconds(200)).first)
                #expect(claim.attempt == attempt)
                let row = try await pool.query(
                    """
                    SELECT round(extract(epoch FROM start_lease_until - start_sent_at))::int AS lease,
                        floor(extract(epoch FROM start_lease_until))::bigint AS until
                    FROM live_activities
                    """)[0]
                #expect(try row.int("lease") == seconds)
                #expect(try row.int("until") == claim.leaseUntil)
                // A moment before its end there is none, a moment after it there is.
                try await pool.execute("UPDATE live_activities SET start_lease_until = now() + interval '1 second'")
                #expect(try await store.claimStarts(holds, limit: 10, lease: .seconds(200)).isEmpty)
                try await pool.execute("UPDATE live_activities SET start_lease_until = clock_timestamp()")
            }
            #expect(try await store.claimStarts(holds, limit: 10, lease: .seconds(200)).isEmpty)
        }
    }

    @Test func nothingStartsAtStumps() async throws {
        try await withDatabase { (pool: PostgresPool) async throws in
            let holds = try await follower(pool, of: 1)
            try await pool.execute("UPDATE active_matches SET at_stumps = true")
            let store = ActivityStore(pool: pool)
            #expect(try await store.claimStarts(holds, limit: 10, lease: .seconds(120)).isEmpty)
            try await pool.execute("UPDATE active_matches SET at_stumps = false")
            #expect(try await store.claimStarts(holds, limit: 10, lease: .seconds(120)).count == 1)
        }
    }

    /// The app may register between the last try and the moment at which the start is given up.
    @Test(arguments: [true, false])
    func anAppThatRegistersAfterTheLastTryIsStartedAgain(leaseHasPassed: Bool) async throws {
        try await withDatabase { (pool: PostgresPool) async throws in
            let holds = try await follower(pool, of: 1)
            try await pool.execute(
                """
                UPDATE live_activities SET start_attempts = 3, start_sent_at = clock_timestamp() - interval '1 minute',
                    start_lease_until = clock_timestamp() + $1::bigint * interval '1 second'
                """, [.int(leaseHasPassed ? -1 : 60)])
            _ = try await DeviceStore(pool: pool).register(
                PushToStartRegistration(pushToStartToken: PushToStartToken("aa01"), deviceId: Self.device),
                user: Self.user)
            let store = ActivityStore(pool: pool)
            if !leaseHasPassed {
                // The third start may still arrive.
                #expect(try await store.claimStarts(holds, limit: 10, lease: .seconds(120)).isEmpty)
                try await pool.execute("UPDATE live_activities SET start_lease_until = clock_timestamp()")
            }
            let orchestrator = try #require(
                try await LeaseStore(pool: pool).acquire([.orchestrator], holder: "test/1", duration: .seconds(60))
                    .first)
            #expect(try await OrchestratorStore(pool: pool).giveUpStarts(under: orchestrator) == 0)
            #expect(try await store.claimStarts(holds, limit: 10, lease: .seconds(120)).count == 1)
        }
    }
}
