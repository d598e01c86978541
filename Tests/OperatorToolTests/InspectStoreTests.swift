import OperatorTool
import MatchOrchestrator
import LACoordinator
import Activities
import Cricket
import Postgres
import SightscreenModels
import Store
import TestKit
import Testing

@Suite struct InspectStoreTests {
    private static let match = MatchID(1_304_076)

    /// A match in play. Of each user's name a phone follows from it: what it has and lacks.
    private func seed(_ pool: PostgresPool) async throws {
        try await pool.execute(
            """
            INSERT INTO fixtures (match_id, league_id, competition, format, status, starts_at, home_id, home_name,
                home_code, away_id, away_name, away_code)
            VALUES ($1, 1, 'IPL', 'twenty20', '1st Innings', clock_timestamp(), 1, 'Royals', 'RR', 2, 'Riders', 'KKR')
            """, [.int(Self.match.rawValue)])
        try await pool.execute(
            """
            INSERT INTO active_matches (match_id, display_state, version, stamp, content_state, went_live_at)
            VALUES ($1, 'live', 7, 100, '{}', clock_timestamp() - interval '2 minutes')
            """, [.int(Self.match.rawValue)])
        for user in [
            "running", "tokenless", "off", "new", "capped", "given-up", "out", "due", "gone", "phoneless", "mute",
        ] {
            if user != "gone" {
                try await pool.execute(
                    "INSERT INTO match_follows (user_id, match_id) VALUES ($1, $2)",
                    [.text(user), .int(Self.match.rawValue)])
            }
            guard user != "phoneless" else { continue }
            try await pool.execute(
                """
                INSERT INTO devices (user_id, device_id, route, shard, push_to_start_token, push_to_start_token_at,
                    live_activities_enabled)
                VALUES ($1, 'phone', 77, 3, CASE WHEN $1 NOT IN ('tokenless', 'mute') THEN 'start-' || $1 END, clock_timestamp(),
                    $1 <> 'off')
                """, [.text(user)])
        }
        try await pool.execute(
            """
            INSERT INTO live_activities (match_id, user_id, device_id, generation, route, shard, status, end_reason,
                update_token, token_at, start_attempts, starts_sent, start_sent_at, start_lease_until,
                start_given_up_at)
            SELECT $1, a.user_id, 'phone', 1, 77, 3, a.status, a.reason, a.token, clock_timestamp(), a.tries, a.tries,
                CASE WHEN a.tries > 0 THEN clock_timestamp() - interval '1 minute' END,
                clock_timestamp() + a.lease * interval '1 second', CASE WHEN a.given_up THEN clock_timestamp() END
            FROM (VALUES
                ('running', 'active', NULL, 'secret-token', 1, -1, false),
                ('capped', 'ended', 'token_invalid', NULL, 6, -1, false),
                ('given-up', 'pending', NULL, NULL, 3, -1, true),
                ('out', 'pending', NULL, NULL, 1, 60, false),
                ('due', 'pending', NULL, NULL, 0, NULL, false),
                -- Its start token died.
                ('mute', 'pending', NULL, NULL, 0, NULL, false),
                ('gone', 'active', NULL, 'another-token', 1, -1, false)
            ) AS a (user_id, status, reason, token, tries, lease, given_up)
            """, [.int(Self.match.rawValue)])
        _ = try await LeaseStore(pool: pool).acquire(
            [.orchestrator, .shard(3)], holder: "one/1", duration: .seconds(60))
        try await pool.execute(
            """
            INSERT INTO alert_claims (match_id, alert_version, bucket, bucket_count, holder)
            SELECT $1, 6, n, 64, 'one/1' FROM unnest('{0,1,2,3,4,5,6,7,8,9,64}'::int[]) AS n
            """, [.int(Self.match.rawValue)])
    }

    @Test func aMatchSaysForEveryPhoneWhatItComesTo() async throws {
        try await withDatabase { (pool: PostgresPool) async throws in
            try await seed(pool)
            let match = try #require(try await InspectStore(pool: pool).match(Self.match))
            #expect(match.phase == .live)
            #expect(match.state?.version == 7)
            #expect(match.fixture?.title == "Royals v Riders, IPL")
            #expect((match.followers, match.followersWithoutPhone, match.capableDevices) == (10, 1, 6))
            #expect(match.leases.map(\.name) == ["orchestrator"])
            #expect((match.shardsHeld, match.coordinators) == (1, 1))
            #expect(
                match.activities.map { "\($0.count) \($0.status) \($0.endReason ?? "-")" }.sorted()
                    == ["1 ended token_invalid", "2 active -", "4 pending -"])
            #expect((match.pushes.startsToSend, match.pushes.startsOut) == (1, 1))
            #expect((match.pushes.startsLocal, match.pushes.startsGivenUp, match.pushes.endsOwed) == (0, 1, 0))
            let findings = Dictionary(uniqueKeysWithValues: match.findings.map { ($0.finding, $0.count) })
            #expect(
                findings == [
                    .running: 1, .noStartToken: 2, .notAllowed: 1, .madeNextPass: 1, .phoneHourCap: 1, .givenUp: 1,
                    .startIsOut: 1, .startDue: 1,
                ])
            #expect(match.withoutFollower == 1)
            #expect(match.alertClaims.map(\.buckets) == [10] && match.alertClaims.map(\.channels) == [1])
            #expect(match.capsCountedFor == nil)
        }
    }

    @Test func aMatchSaysWhoPollsAndWhichCoordinatorsAreThere() async throws {
        try await withDatabase { (pool: PostgresPool) async throws in
            try await seed(pool)
            let store = LeaseStore(pool: pool)
            func take(_ names: [LeaseName], _ holder: String) async throws {
                _ = try await store.acquire(names, holder: holder, duration: .seconds(60))
            }
            try await take([.poll("all")], "poller/1")
            try await take([.poll("b"), .poll("long-ago")], "former/1")
            try await take([.shard(4), .shard(5), LeaseName("shard-keeper:two")], "two/1")
            // It has come and holds nothing yet.
            try await take([LeaseName("shard-keeper:three")], "three/1")
            try await take([.shard(6), LeaseName("shard-keeper:dead")], "dead/1")
            // Of what is no match's.
            try await take([.match(MatchID(7)), LeaseName("poll-keeper:poller")], "bus/1")
            try await pool.execute(
                """
                UPDATE leases SET expires_at = clock_timestamp() - interval '1 minute'
                WHERE holder IN ('former/1', 'dead/1')
                """)
            try await pool.execute(
                "UPDATE leases SET expires_at = clock_timestamp() - interval '2 days' WHERE name = 'poll:long-ago'")

            let match = try #require(try await InspectStore(pool: pool).match(Self.match))
            #expect(match.fixture?.leagueId == 1)
            #expect(match.leases.map(\.name) == ["orchestrator", "poll:all", "poll:b"])
            #expect(match.leases.map { $0.secondsLeft > 0 } == [true, true, false])
            #expect(match.leases.map(\.pollGroup) == [nil, "all", "b"])
            #expect(match.shardHolders.map { "\($0.holder) \($0.shards)" } == ["two/1 2", "one/1 1", "three/1 0"])
            #expect(match.shardHolders.allSatisfy { (1...60).contains($0.secondsLeft) })
            #expect((match.shardsHeld, match.coordinators) == (3, 2))
        }
    }

    @Test func aMatchSaysHowFarEachCoordinatorIs() async throws {
        try await withDatabase { (pool: PostgresPool) async throws in
            try await seed(pool)
            func progress(_ coordinator: String, _ version: Int, _ accepted: Int) -> FanOutProgress {
                FanOutProgress(
                    match: Self.match, coordinator: coordinator, version: version, targeted: 1_000, sent: 1_010,
                    accepted: accepted, superseded: 3, failed: ["Unregistered": 1_000 - accepted],
                    firstMs: accepted > 0 ? 12 : nil, lastMs: accepted > 0 ? 8_100 : nil)
            }
            let store = ActivityStore(pool: pool)
            try await store.note([progress("a", 6, 990), progress("b", 6, 0)])
            try await store.note([progress("b", 7, 980)])
            var noted = try #require(try await InspectStore(pool: pool).match(Self.match)).fanOut
            for index in noted.indices {
                #expect(noted[index].updatedAt > 0)
                noted[index].updatedAt = 0
            }
            #expect(noted == [progress("b", 7, 980), progress("a", 6, 990)], "the newest version first")
            var late = progress("a", 8, 0)
            late.behindMs = 90_000
            try await store.note([late])
            let newest = try await InspectStore(pool: pool).match(Self.match)?.fanOut.first
            #expect(newest?.version == 8 && newest?.firstMs == nil)
            // It grows without being written.
            #expect((90_000..<120_000).contains(newest?.behindMs ?? 0))
        }
    }

    /// What inspect foretells is what the orchestrator then does.
    @Test func thePassMakesAndEndsExactlyWhatWasForetold() async throws {
        try await withDatabase { (pool: PostgresPool) async throws in
            try await seed(pool)
            let store = InspectStore(pool: pool)
            let lease = try #require(
                try await LeaseStore(pool: pool).acquire([.orchestrator], holder: "one/1", duration: .seconds(60)).first
            )
            let orchestrator = OrchestratorStore(pool: pool)
            #expect(try await orchestrator.createPending(for: Self.match, under: lease).made == 1)
            #expect(try await orchestrator.endUnfollowed(under: lease).changes.rows == 1)
            let match = try #require(try await store.match(Self.match))
            #expect(!match.findings.contains { $0.finding == .madeNextPass })
            #expect(match.findings.first { $0.finding == .startDue }?.count == 2)
            #expect(match.withoutFollower == 0)
            #expect(match.pushes.endsOwed == 1)
        }
    }

    @Test func aProcessWithoutAKeyIsNamed() async throws {
        try await withDatabase { (pool: PostgresPool) async throws in
            try await seed(pool)
            func keyless() async throws -> [String]? { try await InspectStore(pool: pool).match(Self.match)?.keyless }
            try await pool.execute(
                """
                INSERT INTO processes (service, host, instance, version, started_at, expires_at, secrets, token_keys, calls)
                SELECT p.service, 'h', 'a', '1', clock_timestamp(), clock_timestamp() + p.seconds * interval '1 second', '{}',
                    p.keys::text[], '{}'
                FROM (VALUES ('la-coordinator', 30, '{1:x}'), ('api-gateway', 30, '{1:x,2:y}'), ('old', -30, '{1:x}'),
                    ('event-bus', 30, NULL)) AS p (service, seconds, keys)
                """)
            #expect(try await keyless() == [])
            try await pool.execute("UPDATE token_encryption SET sample = '$look$2$rest', former_keys = '{1}'")
            #expect(try await keyless() == ["la-coordinator a on h"])
        }
    }

    @Test func aHeldMatchSaysSo() async throws {
        try await withDatabase { (pool: PostgresPool) async throws in
            try await seed(pool)
            _ = try await HoldStore(pool: pool).set(.pushes, match: nil, actor: "ops", requestID: "1")
            let match = try #require(try await InspectStore(pool: pool).match(Self.match))
            #expect(match.hold == .pushes)
            #expect(match.findings.first { $0.finding == .held }?.count == 1)
        }
    }

    @Test func aUserSaysForEachFollowAndPhone() async throws {
        try await withDatabase { (pool: PostgresPool) async throws in
            try await seed(pool)
            let store = InspectStore(pool: pool)
            let user = try #require(try await store.user(UserID("capped")))
            #expect(user.devices.map(\.startsThisHour) == [6])
            let phone = try #require(user.follows.first?.phones.first)
            #expect((phone.shouldExist, phone.exists, phone.finding) == (true, nil, .phoneHourCap))
            let gone = try #require(try await store.user(UserID("gone")))
            #expect(gone.follows.isEmpty)
            #expect(gone.withoutFollow.map(\.status) == ["active"])
            #expect(try await store.user(UserID("phoneless"))?.follows.first?.phones.isEmpty == true)
        }
    }

    @Test func ofATokenOnlyItsFingerprintLeavesTheDatabase() async throws {
        try await withDatabase { (pool: PostgresPool) async throws in
            try await seed(pool)
            let device = try #require(try await InspectStore(pool: pool).device(DeviceID("phone")))
            #expect(device.registrations.count == 10)
            let running = try #require(device.registrations.first { $0.userId == UserID("running") })
            // printf %s secret-token | sha256sum
            #expect(running.activities.map(\.updateToken) == ["930bbdc5"])
            #expect(running.device?.startToken == "a28799f9")
            #expect(running.device?.isCapable == true)
        }
    }

    @Test func aCardOnAChannelNamesIt() async throws {
        try await withDatabase { (pool: PostgresPool) async throws in
            try await seed(pool)
            try await pool.execute(
                """
                INSERT INTO broadcast_channels (match_id, environment, class, generation, shard, channel_id, per_minute, rests_until)
                VALUES ($1, 'production', 1, 2, 3, 'Y2hhbm5lbA==', 4, clock_timestamp() - interval '17 minutes')
                """, [.int(Self.match.rawValue)])
            try await pool.execute("UPDATE live_activities SET channel_id = 'Y2hhbm5lbA==' WHERE user_id = 'running'")
            let store = InspectStore(pool: pool)
            let device = try #require(try await store.device(DeviceID("phone")))
            let running = try #require(device.registrations.first { $0.userId == UserID("running") })
            #expect(running.activities.map(\.channel) == ["production, key alerts, generation 2"])
            #expect(
                try await store.match(Self.match)?.channels.map(\.perMinute) == [7], "one more for each of five minutes"
            )
        }
    }

    @Test func nothingIsKnownOfWhatDoesNotExist() async throws {
        try await withDatabase { (pool: PostgresPool) async throws in
            let store = InspectStore(pool: pool)
            #expect(try await store.match(MatchID(1)) == nil)
            #expect(try await store.user(UserID("nobody")) == nil)
            #expect(try await store.device(DeviceID("none")) == nil)
        }
    }
}
