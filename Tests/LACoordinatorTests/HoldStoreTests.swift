import Activities
import MatchOrchestrator
import LACoordinator
import Postgres
import SightscreenModels
import Store
import TestKit
import Testing

@Suite struct HoldStoreTests {
    private static let match = MatchID(1_304_076)
    private static let other = MatchID(1_256_724)

    private func audit(_ pool: PostgresPool) async throws -> [String] {
        try await pool.query(
            """
            SELECT concat_ws(' ', actor, action, coalesce(detail->>'match', 'everywhere'), detail->>'before',
                detail->>'level', detail->>'requestId') AS line
            FROM admin_audit ORDER BY id
            """
        ).map { try $0.string("line") }
    }

    @Test func theStrongerOfAMatchAndEverywhereHolds() {
        let holds = Holds(everywhere: .alerts, matches: [Self.match: .pushes])
        #expect(holds.level(for: Self.match) == .pushes)
        #expect(holds.level(for: Self.other) == .alerts)
        #expect(holds.count(of: .alerts) == 1 && holds.count(of: .pushes) == 1)
        #expect(Holds(everywhere: .pushes, matches: [Self.match: .alerts]).level(for: Self.match) == .pushes)
        #expect(HoldLevel.none < .alerts && HoldLevel.alerts < .pushes)
        #expect(HoldLevel.allCases.map(\.strength) == [0, 1, 2])
    }

    @Test func setsAndLiftsAndWritesDownWhoDidIt() async throws {
        try await withDatabase { (pool: PostgresPool) async throws in
            let store = HoldStore(pool: pool)
            #expect(try await store.all() == Holds())
            #expect(
                try await store.hold(of: Self.match)
                    == HoldState(level: .none, effective: .none, setAt: nil, setBy: nil))
            let set = try await store.set(.alerts, match: Self.match, actor: "asha", requestID: "r1")
            #expect(set.level == .alerts && set.effective == .alerts && set.setBy == "asha")
            #expect((set.setAt ?? 0) > 1_700_000_000)
            try await store.set(.pushes, match: nil, actor: "ben", requestID: "r2")
            #expect(try await store.all() == Holds(everywhere: .pushes, matches: [Self.match: .alerts]))
            let held = try await store.hold(of: Self.match)
            #expect(held.level == .alerts && held.effective == .pushes && held.setBy == "asha")
            let stranger = try await store.hold(of: Self.other)
            #expect(stranger == HoldState(level: .none, effective: .pushes, setAt: nil, setBy: nil))
            try await store.set(.none, match: nil, actor: "asha", requestID: "r3")
            try await store.set(.none, match: Self.match, actor: "ben", requestID: "r4")
            #expect(try await store.all() == Holds())
            let lifted = try await store.hold(of: Self.match)
            #expect(lifted.level == .none && lifted.setBy == "ben" && lifted.setAt != nil)
            #expect(
                try await audit(pool) == [
                    "asha hold 1304076 none alerts r1", "ben hold everywhere none pushes r2",
                    "asha hold everywhere pushes none r3", "ben hold 1304076 alerts none r4",
                ])
        }
    }

    @Test func settingTheSameLevelAgainChangesNothingButIsWrittenDown() async throws {
        try await withDatabase { (pool: PostgresPool) async throws in
            let store = HoldStore(pool: pool)
            try await store.set(.pushes, match: Self.match, actor: "asha", requestID: "r1")
            try await pool.execute("UPDATE holds SET set_at = set_at - interval '1 hour'")
            let before = try await store.hold(of: Self.match)
            #expect(try await store.set(.pushes, match: Self.match, actor: "ben", requestID: "r2") == before)
            #expect(try await audit(pool).last == "ben hold 1304076 pushes pushes r2")
        }
    }

    @Test func aHoldThatCannotBeWrittenDownIsNotSet() async throws {
        try await withDatabase { (pool: PostgresPool) async throws in
            try await pool.execute("ALTER TABLE admin_audit ADD CHECK (actor <> 'nobody')")
            let store = HoldStore(pool: pool)
            await #expect(throws: PostgresError.self) {
                try await store.set(.pushes, match: nil, actor: "nobody", requestID: "r1")
            }
            #expect(try await store.all() == Holds())
            #expect(try await audit(pool).isEmpty)
        }
    }

    @Test func manyAtOnceLeaveAnAuditWithoutGaps() async throws {
        try await withDatabase { (pool: PostgresPool) async throws in
            let store = HoldStore(pool: pool)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<30 {
                    let level = HoldLevel.allCases[number % 3]
                    group.addTask {
                        try await store.set(level, match: Self.match, actor: "asha", requestID: "r\(number)")
                    }
                }
                try await group.waitForAll()
            }
            let lines = try await audit(pool).map { $0.split(separator: " ").map(String.init) }
            #expect(lines.count == 30)
            #expect(lines.map { $0[3] } == ["none"] + lines.dropLast().map { $0[4] }, "each knows the one before it")
            #expect(try await store.hold(of: Self.match).level.rawValue == lines.last?[4])
        }
    }

    // MARK: - What is claimed

    /// A phone with a pending activity in each of two matches, and one with an end that is due in each.
    private func owed(_ pool: PostgresPool) async throws -> [ShardLease] {
        for match in [Self.match, Self.other] {
            try await pool.execute(
                """
                INSERT INTO active_matches (match_id, display_state, version, stamp, content_state, went_live_at)
                VALUES ($1, 'live', 1, 100, '{}', clock_timestamp())
                """, [.int(match.rawValue)])
            for user in ["ann", "ben"] {
                try await pool.execute(
                    """
                    INSERT INTO devices (user_id, device_id, route, shard, push_to_start_token)
                    VALUES ($1, 'phone', 77, 3, $1) ON CONFLICT DO NOTHING
                    """, [.text(user)])
            }
            try await pool.execute(
                """
                INSERT INTO live_activities (match_id, user_id, device_id, generation, route, shard, status, end_reason,
                    update_token, end_push)
                VALUES ($1, 'ann', 'phone', 1, 77, 3, 'pending', NULL, NULL, 'none'),
                    ($1, 'ben', 'phone', 1, 77, 3, 'ended', 'match_end', 'token' || $1::text, 'due')
                """, [.int(match.rawValue)])
        }
        return try await LeaseStore(pool: pool).acquire([.shard(3)], holder: "test/1", duration: .seconds(60))
            .compactMap { ShardLease($0) }
    }

    @Test func whatIsHeldIsNotClaimedAndCostsNeitherATryNorALease() async throws {
        try await withDatabase { (pool: PostgresPool) async throws in
            let shards = try await owed(pool)
            let (holds, store) = (HoldStore(pool: pool), ActivityStore(pool: pool))
            func starts() async throws -> [MatchID] {
                try await store.claimStarts(shards, limit: 10, lease: .seconds(60)).map(\.key.matchID)
            }
            func ends() async throws -> [MatchID] {
                try await store.claimEnds(shards, limit: 10).map(\.key.matchID)
            }
            try await holds.set(.pushes, match: nil, actor: "asha", requestID: "r1")
            #expect(try await starts().isEmpty)
            #expect(try await ends().isEmpty)
            try await holds.set(.pushes, match: Self.match, actor: "asha", requestID: "r2")
            try await holds.set(.alerts, match: nil, actor: "asha", requestID: "r3")
            #expect(try await starts() == [Self.other])
            #expect(try await ends() == [Self.other])
            let row = try #require(
                try await pool.query(
                    """
                    SELECT sum(start_attempts) AS starts, sum(end_attempts) AS ends, count(start_lease_until) AS leases,
                        count(end_lease_until) AS end_leases, count(start_id) AS ids
                    FROM live_activities WHERE match_id = $1
                    """, [.int(Self.match.rawValue)]
                ).first)
            for column in ["starts", "ends", "leases", "end_leases", "ids"] { #expect(try row.int(column) == 0) }
            try await holds.set(.none, match: Self.match, actor: "asha", requestID: "r4")
            #expect(try await starts() == [Self.match])
            #expect(try await ends() == [Self.match])
        }
    }

    /// Many ends of one match, and one of another.
    private func manyEnds(_ pool: PostgresPool, _ count: Int) async throws -> [ShardLease] {
        try await pool.execute(
            """
            INSERT INTO live_activities (match_id, user_id, device_id, generation, route, shard, status, end_reason,
                update_token, end_push)
            SELECT CASE n WHEN 0 THEN 2 ELSE 1 END, 'user' || n, 'phone', 1, n, n % 64, 'ended', 'match_end',
                'token' || n, 'due'
            FROM generate_series(0, $1::int) n
            """, [.int(count)])
        return try await LeaseStore(pool: pool).acquire(
            (0..<64).map { LeaseName.shard($0) }, holder: "test/1", duration: .seconds(60)
        ).compactMap { ShardLease($0) }
    }

    @Test func anEndIsClaimedOnceHoweverManyAsk() async throws {
        try await withDatabase { (pool: PostgresPool) async throws in
            let shards = try await manyEnds(pool, 400)
            let claims = try await withThrowingTaskGroup(of: [EndClaim].self) { group in
                for _ in 0..<16 {
                    group.addTask { try await ActivityStore(pool: pool).claimEnds(shards, limit: 60) }
                }
                return try await group.reduce([]) { $0 + $1 }
            }
            #expect(Set(claims.map(\.token)).count == claims.count)
            #expect(try await claims.count + ActivityStore(pool: pool).claimEnds(shards, limit: 1_000).count == 401)
        }
    }

    @Test func theManyEndsOfOneMatchDoNotKeepThatOfAnotherWaiting() async throws {
        try await withDatabase { (pool: PostgresPool) async throws in
            let shards = try await manyEnds(pool, 400)
            var claims = 0
            while claims < 200 {
                claims += 1
                if try await ActivityStore(pool: pool).claimEnds(shards, limit: 1).first?.key.matchID == MatchID(2) {
                    break
                }
            }
            // By chance after two in the middle: more than a hundred once in 10³⁰ times.
            #expect(claims < 100)
        }
    }

    @Test func anEndThatAUserWaitsForComesBeforeThoseOfAMatchThatIsOver() async throws {
        try await withDatabase { (pool: PostgresPool) async throws in
            let shards = try await manyEnds(pool, 400)
            try await pool.execute(
                "UPDATE live_activities SET end_dismissal = CASE WHEN user_id = 'user77' THEN 'now' ELSE 'linger' END")
            let claims = try await ActivityStore(pool: pool).claimEnds(shards, limit: 3)
            #expect(claims.count == 3 && claims.first?.key.userID == UserID("user77"))
            #expect(claims.map(\.lingers) == [false, true, true])
        }
    }

    @Test func whatBecameOfEndsIsNotedTogetherForTheTokensTheyWentTo() async throws {
        try await withDatabase { (pool: PostgresPool) async throws in
            let shards = try await manyEnds(pool, 4)
            let store = ActivityStore(pool: pool)
            let claims = try await store.claimEnds(shards, limit: 10).sorted { $0.token.rawValue < $1.token.rawValue }
            #expect(claims.count == 5)
            // A rotated token's end is still owed, and one that fell due long ago is not tried again.
            try await pool.execute("UPDATE live_activities SET update_token = 'other' WHERE user_id = 'user1'")
            try await pool.execute(
                "UPDATE live_activities SET ended_at = now() - interval '5 hours' WHERE user_id = 'user3'")
            let results: [ActivityStore.EndResult] = [
                .sent, .sent, .dropped, .retry(after: .seconds(60)), .retry(after: .seconds(60)),
            ]
            try await store.finishEnds(Array(zip(claims, results)).map { (claim: $0, result: $1) })
            let states = try await pool.query("SELECT end_push FROM live_activities ORDER BY user_id")
                .map { try $0.string("end_push") }
            #expect(states == ["sent", "due", "dropped", "dropped", "due"])
        }
    }

    @Test func anEndThatAHoldStoppedOnItsWayIsOwedAsBefore() async throws {
        try await withDatabase { (pool: PostgresPool) async throws in
            let shards = try await owed(pool)
            let store = ActivityStore(pool: pool)
            let claim = try #require(try await store.claimEnds(shards, limit: 1).first)
            #expect(claim.attempt == 1)
            try await store.releaseEnd(claim)
            let again = try await store.claimEnds(shards, limit: 10)
            #expect(again.count == 2 && again.allSatisfy { $0.attempt == 1 })
            // Claimed by somebody else since: that claim stands.
            try await pool.execute("UPDATE live_activities SET end_attempts = 2 WHERE end_push = 'due'")
            try await store.releaseEnd(claim)
            #expect(try await store.claimEnds(shards, limit: 10).isEmpty)
        }
    }

    // MARK: - Retention

    @Test func holdsGoWithTheirMatches() async throws {
        try await withDatabase { (pool: PostgresPool) async throws in
            let lease = try #require(
                try await LeaseStore(pool: pool).acquire([.orchestrator], holder: "test/1", duration: .seconds(60))
                    .first)
            let holds = HoldStore(pool: pool)
            // 1: in play; 2: to come; 3: over and purged; 4: unknown and set just now; 5: over, and an end is owed.
            try await pool.execute(
                "INSERT INTO active_matches (match_id, display_state, went_live_at) VALUES (1, 'live', now())")
            for (match, status) in [(2, "NS"), (3, "Finished"), (5, "Finished")] {
                try await pool.execute(
                    """
                    INSERT INTO fixtures (match_id, league_id, competition, format, status, starts_at, home_id, home_name,
                        home_code, away_id, away_name, away_code)
                    VALUES ($1, 1, 'IPL', 'twenty20', $2, now(), 8, 'Rajasthan Royals', 'RR', 5,
                        'Kolkata Knight Riders', 'KKR')
                    """, [.int(match), .text(status)])
            }
            try await pool.execute(
                """
                INSERT INTO live_activities (match_id, user_id, device_id, generation, route, shard, status, end_reason,
                    ended_at, update_token, end_push)
                VALUES (5, 'ben', 'phone', 1, 77, 3, 'ended', 'match_end', now(), 'aa', 'due')
                """)
            for match in 1...5 {
                try await holds.set(.pushes, match: MatchID(Int64(match)), actor: "asha", requestID: "r")
            }
            try await holds.set(.alerts, match: nil, actor: "asha", requestID: "r")
            try await pool.execute("UPDATE holds SET set_at = now() - interval '3 days' WHERE scope <> '4'")
            try await OrchestratorStore(pool: pool).purge(after: .seconds(48 * 3_600), under: lease)
            let left = try await holds.all()
            #expect(left.everywhere == .alerts)
            #expect(left.matches.keys.map(\.rawValue).sorted() == [1, 2, 4, 5])
        }
    }
}
