import APIGateway
import Activities
import LACoordinator
import MatchOrchestrator
import Postgres
import SightscreenModels
import Store
import TestKit
import Testing

/// The database went back: in the time that is lost phones may have got cards, and users alerts.
@Suite struct LostTimeTests {
    private static let match = MatchID(1)
    private static let user = UserID("ann")
    private static let phone = DeviceID("phone")

    private struct Harness {
        var pool: PostgresPool
        var orchestrator: Lease
        var shards: [ShardLease]
        var activities: ActivityStore { ActivityStore(pool: pool) }
        var store: OrchestratorStore { OrchestratorStore(pool: pool) }

        /// Ann follows a match in play; the start of her card is due.
        init(_ pool: PostgresPool) async throws {
            self.pool = pool
            let held = try await LeaseStore(pool: pool).acquire(
                [.orchestrator] + (0..<64).map { .shard($0) }, holder: "test/1", duration: .seconds(600))
            orchestrator = try #require(held.first { $0.name == .orchestrator })
            shards = held.compactMap { ShardLease($0) }
            try await pool.execute(
                """
                WITH known AS (
                    INSERT INTO fixtures (match_id, league_id, competition, format, status, starts_at, home_id, home_name,
                        home_code, away_id, away_name, away_code)
                    VALUES (1, 1, 'IPL', 'twenty20', '1st Innings', clock_timestamp() - interval '1 hour', 8, 'Royals',
                        'RR', 5, 'Riders', 'KKR'))
                INSERT INTO active_matches (match_id, display_state, version, stamp, content_state, went_live_at)
                VALUES (1, 'live', 1, 100, '{}', clock_timestamp() - interval '1 hour')
                """)
            _ = try await DeviceStore(pool: pool).register(
                DeviceRegistration(deviceId: phone), token: .set(DeviceToken("dd01")), user: user)
            _ = try await DeviceStore(pool: pool).register(
                PushToStartRegistration(pushToStartToken: PushToStartToken("aa01"), deviceId: phone), user: user)
            _ = try await FollowStore(pool: pool).follow(FollowRequest(matchId: match), user: user)
        }

        func goBack(ago: String = "0 seconds") async throws {
            try await pool.execute(
                "UPDATE database_history SET went_back_at = clock_timestamp() - $1::interval", [.text(ago)])
        }

        func starts() async throws -> [Int] {
            try await activities.claimStarts(shards, limit: 100, lease: .seconds(120)).map(\.key.generation)
        }

        func pass() async throws {
            _ = try await store.createPending(for: match, under: orchestrator)
            _ = try await store.askAfterLostTime(under: orchestrator)
        }

        func report(_ activities: [RunningActivity]) async throws -> DeviceStore.Cards {
            try await DeviceStore(pool: pool).register(
                DeviceRegistration(deviceId: phone, activities: activities), token: .keep, user: user
            ).cards
        }

        func asked() async throws -> Int { try await activities.claimFallbacks(shards, limit: 10).count }

        func rows() async throws -> [String] {
            try await pool.query(
                "SELECT concat_ws(' ', generation, status, card) AS line FROM live_activities ORDER BY generation"
            ).map { try $0.string("line") }
        }
    }

    private func with(_ body: (Harness) async throws -> Void) async throws {
        try await withDatabase { (pool: PostgresPool) async throws in try await body(try await Harness(pool)) }
    }

    /// Whether the activity is pending already, or made afterwards, as for a match that came into play in that time.
    @Test(arguments: [true, false]) func aPhoneThatMayHaveACardIsAskedBeforeItGetsOne(isPending: Bool) async throws {
        try await with { harness in
            if !isPending { try await harness.pool.execute("DELETE FROM live_activities") }
            try await harness.goBack()
            #expect(try await harness.starts() == [])
            try await harness.pass()
            #expect(try await harness.rows() == ["1 ended unknown"])
            #expect(try await harness.asked() == 1)
            try await harness.pass()
            #expect(try await harness.starts() == [])
            #expect(try await harness.asked() == 0)
            // It answers that there is none.
            _ = try await harness.report([])
            #expect(try await harness.starts() == [2])
        }
    }

    /// Its start is not on record, or the start before the one that made it is, or the card that it has replaced, whose
    /// token is dead.
    @Test(arguments: [
        nil, "start_id = 'start-1', start_attempts = 1, starts_sent = 1",
        """
        start_id = 'start-1', activity_id = 'former', update_token = 'ee00', token_at = clock_timestamp(), status = 'ended',
            end_reason = 'token_invalid', card = 'unknown'
        """,
    ])
    func aCardThatIsThereGoesOn(known: String?) async throws {
        try await with { harness in
            if let known { try await harness.pool.execute("UPDATE live_activities SET \(known)") }
            try await harness.goBack()
            try await harness.pass()
            let card = RunningActivity(
                matchId: Self.match, activityId: ActivityID("card"), startId: StartID("start-2"), state: .active)
            let answer = try await harness.report([card])
            #expect(answer.tokensWanted == [ActivityID("card")] && answer.end == [])
            try await harness.pass()
            #expect(try await harness.starts() == [])
            let action = try await ActivityTokenStore(pool: harness.pool).register(
                ActivityTokenRequest(
                    activityToken: UpdateToken("ee01"), deviceId: Self.phone, activityId: ActivityID("card"),
                    startId: StartID("start-2")), match: Self.match, user: Self.user
            ).action
            #expect(action == .adopt)
            #expect(try await harness.rows().last == "2 active")
        }
    }

    /// It has been heard of since; iOS has ended all cards of then; the match begins well after that time.
    @Test(arguments: [
        "UPDATE devices SET last_seen_at = clock_timestamp() + interval '1 second'",
        "UPDATE database_history SET went_back_at = clock_timestamp() - interval '481 minutes'",
        "UPDATE fixtures SET starts_at = clock_timestamp() + interval '61 minutes'",
        "UPDATE database_history SET went_back_at = 'epoch'",
    ])
    func aPhoneThatCannotHaveOneGetsOneAtOnce(known: String) async throws {
        try await with { harness in
            try await harness.pool.execute("UPDATE devices SET last_seen_at = last_seen_at - interval '1 day'")
            try await harness.goBack()
            try await harness.pool.execute(known)
            try await harness.pass()
            #expect(try await harness.starts() == [1])
        }
    }

    /// A card is renewed unless that may have been done already: it was due, or old enough.
    @Test(arguments: [("5 hours", "1 second", true), ("5 hours", "-1 second", false), ("7 hours", "1 second", false)])
    func aRenewalThatMayBeOutWaits(age: String, due: String, isRenewed: Bool) async throws {
        try await with { harness in
            try await harness.goBack(ago: "60 seconds")
            try await harness.pool.execute("UPDATE devices SET last_seen_at = clock_timestamp() - interval '5 hours'")
            try await harness.pool.execute(
                """
                UPDATE live_activities SET status = 'active', update_token = 'ee01', token_at = clock_timestamp(),
                    activated_at = clock_timestamp() - $1::interval, renewal_due_at = went_back_at + $2::interval
                FROM database_history
                """, [.text(age), .text(due)])
            let renewals = try await harness.activities.claimRenewals(harness.shards, limit: 10, lease: .seconds(120))
            #expect(renewals.count == (isRenewed ? 1 : 0))
        }
    }

    @Test(arguments: [(-1, false), (1, true)]) func anAlertOfBeforeIsNotToldAgain(after: Int, isTold: Bool) async throws
    {
        try await with { harness in
            try await harness.goBack()
            try await harness.pool.execute(
                """
                INSERT INTO match_updates (match_id, version, stamp, content_state, priority, alert)
                SELECT 1, 2, 101, '{}', 10, jsonb_build_object(
                    'eventAt', floor(extract(epoch FROM went_back_at))::bigint + $1::bigint)
                FROM database_history
                """, [.int(after)])
            let bucket = AlertBucket(shard: 7)
            let claims = try await harness.activities.claimAlert(
                Self.match, version: MatchVersion(2), buckets: [bucket], bucketCount: 64, holder: "test",
                leases: harness.shards)
            #expect(claims.gained == (isTold ? [bucket] : []))
            #expect(claims.unheld.isEmpty)
        }
    }
}
