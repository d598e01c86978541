import MatchOrchestrator
import LACoordinator
import APIGateway
import Activities
import Postgres
import SightscreenModels
import Store
import TestKit
import Testing

@Suite struct StartFallbackStoreTests {
    private static let fallback = StartFallback(wait: .seconds(120))
    private static let user = UserID("ann")
    private static let device = DeviceID("phone")

    /// A match in play, everybody's leases, and Ann's phone, whose start for it was given up.
    private struct Harness {
        var pool: PostgresPool
        var orchestrator: Lease
        var shards: [ShardLease]
        var store: OrchestratorStore { OrchestratorStore(pool: pool, batchSize: 3) }
        var activities: ActivityStore { ActivityStore(pool: pool) }
        var devices: DeviceStore { DeviceStore(pool: pool) }

        init(_ pool: PostgresPool) async throws {
            self.pool = pool
            let leases = LeaseStore(pool: pool)
            let held = try await leases.acquire(
                [.orchestrator] + (0..<64).map { .shard($0) }, holder: "test/1", duration: .seconds(600))
            orchestrator = try #require(held.first { $0.name == .orchestrator })
            shards = held.compactMap { ShardLease($0) }
            try await match(1)
        }

        func match(_ id: Int) async throws {
            try await pool.execute(
                """
                INSERT INTO active_matches (match_id, display_state, version, stamp, content_state, went_live_at)
                VALUES ($1, 'live', 1, 100, '{}', clock_timestamp() - interval '1 hour')
                """, [.int(id)])
        }

        /// - Parameter start: what became of its start.
        func phone(_ user: String = "ann", alerts: String = "all", start: String = "given up") async throws {
            let isDead = start == "dead"
            try await pool.execute(
                """
                INSERT INTO devices (user_id, device_id, route, shard, device_token, device_token_at,
                    push_to_start_token, dead_start_token_hash)
                VALUES ($1, 'phone', 1, 1, 'dd' || $1, clock_timestamp() - interval '1 hour',
                    CASE WHEN NOT $2::bool THEN 'aa' || $1 END, CASE WHEN $2::bool THEN encode(sha256(convert_to('aa' || $1, 'UTF8')), 'hex') END)
                """, [.text(user), .bool(isDead)])
            try await pool.execute(
                "INSERT INTO match_follows (user_id, match_id, alerts) VALUES ($1, 1, $2)",
                [.text(user), .text(alerts)])
            guard !isDead else { return }
            try await pool.execute(
                """
                INSERT INTO live_activities (match_id, user_id, device_id, generation, route, shard, start_id,
                    start_attempts, starts_sent, start_sent_at, start_lease_until, start_given_up_at)
                VALUES (1, $1, 'phone', 1, 1, 1, 'start-1', $3, 3, clock_timestamp() - interval '10 minutes',
                    clock_timestamp() + CASE WHEN $4::bool THEN interval '1 minute' ELSE interval '-1 second' END,
                    CASE WHEN $2::bool THEN clock_timestamp() END)
                """,
                [
                    .text(user), .bool(start == "given up"),
                    .int(start == "under way" ? 1 : start == "unanswered" || start == "unanswered twice" ? 2 : 3),
                    .bool(start == "unanswered" || start == "third"),
                ])
        }

        func move() async throws -> [StartFallback.Step: Int] {
            try await store.moveFallbacks(fallback, under: orchestrator).moved
        }

        func later(_ seconds: Int = 120) async throws {
            try await pool.execute(
                "UPDATE devices SET fallback_at = fallback_at - $1::bigint * interval '1 second'", [.int(seconds)])
        }

        func claim() async throws -> [FallbackClaim] { try await activities.claimFallbacks(shards, limit: 100) }

        func step(_ user: String = "ann") async throws -> String {
            try await pool.query(
                "SELECT fallback_step || ' ' || fallback_push AS step FROM devices WHERE user_id = $1", [.text(user)]
            )[0].string("step")
        }

        func registerStartToken(_ token: String) async throws {
            _ = try await devices.register(
                PushToStartRegistration(pushToStartToken: PushToStartToken(token), deviceId: device), user: user)
        }

        func openApp() async throws {
            _ = try await devices.register(
                DeviceRegistration(deviceId: device, platform: "ios"), token: .keep, user: user)
        }
    }

    /// Two minutes after the first, and four after the second, which may still bring it; not fourteen.
    @Test func aSecondTryIsAccompaniedByASilentPushAndAThirdByANotification() async throws {
        try await with { harness in
            try await harness.phone(start: "under way")
            #expect(try await harness.move() == [:])
            try await harness.pool.execute(
                """
                UPDATE live_activities SET start_attempts = 2,
                    start_lease_until = clock_timestamp() + interval '1 minute'
                """)
            #expect(try await harness.move() == [.silent: 1])
            #expect(try await harness.claim().map(\.step) == [.silent])
            try await harness.later(1_000)
            #expect(try await harness.move() == [:], "the user is not asked while a try is out")
            try await harness.pool.execute("UPDATE live_activities SET start_lease_until = clock_timestamp()")
            #expect(try await harness.move() == [.visible: 1])
        }
    }

    @Test func aSilentPushThatHasNotLeftIsDueForCardsAgain() async throws {
        try await with { harness in
            try await harness.phone()
            #expect(try await harness.move() == [.silent: 1])
            try await harness.pool.execute("UPDATE devices SET reconcile_due_at = clock_timestamp()")
            let claim = try #require(try await harness.claim().first)
            let due = "SELECT FROM devices WHERE reconcile_due_at IS NOT NULL"
            #expect(try await harness.pool.query(due).isEmpty)
            try await harness.activities.releaseFallback(claim, after: .seconds(1))
            #expect(try await harness.pool.query(due).count == 1)
        }
    }

    @Test func whatIsClaimedLeavesThoughNoPhoneCanBeAskedAboutItsCards() async throws {
        try await with { harness in
            try await harness.phone()
            #expect(try await harness.move() == [.silent: 1])
            // Only the statement for cards reads it.
            try await harness.pool.execute("ALTER TABLE active_matches RENAME COLUMN relevance TO former")
            #expect(try await harness.claim().map(\.step) == [.silent])
            await #expect(throws: PostgresError.self) { _ = try await harness.claim() }
        }
    }

    private func with(_ body: (Harness) async throws -> Void) async throws {
        try await withDatabase { (pool: PostgresPool) async throws in try await body(try await Harness(pool)) }
    }

    @Test func theTablesDecideAsTheRuleDoes() async throws {
        try await with { harness in
            struct Example {
                var name: String
                var state: ModelFallbackRule.State
                var start: ModelFallbackRule.Outlook
            }
            var examples: [Example] = []
            var times: [(since: Int, visible: Int)] = []
            for step in StartFallback.Step.allCases {
                for since in [30, 90, 121] {
                    for isDue in [false, true] where step == .silent || step == .visible || !isDue {
                        for isSpent in [false, true] {
                            for visible in [nil, 86_000, 87_000] {
                                for alerts in ["all", "none"] {
                                    for start in [
                                        "given up", "dead", "unanswered", "unanswered twice", "third", "under way",
                                    ] {
                                        let name = "user\(examples.count)"
                                        let state = ModelFallbackRule.State(
                                            step: step, since: .seconds(since), pushIsDue: isDue, tokenIsSpent: isSpent,
                                            sinceVisible: visible.map { .seconds($0) }, maySee: alerts != "none")
                                        let outlook: ModelFallbackRule.Outlook =
                                            switch start {
                                            case "under way": .underWay
                                            case "unanswered": .unanswered
                                            default: .lost
                                            }
                                        examples.append(Example(name: name, state: state, start: outlook))
                                        try await harness.phone(name, alerts: alerts, start: start)
                                        try await harness.pool.execute(
                                            """
                                            UPDATE devices SET fallback_step = $2, fallback_match_id = 1,
                                                fallback_push = $3,
                                                fallback_token_hash = CASE WHEN $4::bool
                                                    THEN encode(sha256(convert_to('aa' || $1, 'UTF8')), 'hex') ELSE 'other' END
                                            WHERE user_id = $1
                                            """,
                                            [
                                                .text(name), .text(step.rawValue), .text(isDue ? "due" : "none"),
                                                .bool(isSpent),
                                            ])
                                        times.append((since, visible ?? -1))
                                    }
                                }
                            }
                        }
                    }
                }
            }
            // All at once: making them takes longer on a busy machine than lies between two of these times.
            try await harness.pool.execute(
                """
                UPDATE devices d SET fallback_at = clock_timestamp() - e.since * interval '1 second',
                    visible_push_at = clock_timestamp() - nullif(e.visible, -1) * interval '1 second'
                FROM unnest($1::text[], $2::bigint[], $3::bigint[]) AS e (name, since, visible) WHERE d.user_id = e.name
                """,
                [
                    .textArray(examples.map(\.name)), .intArray(times.map(\.since)), .intArray(times.map(\.visible)),
                ])
            _ = try await harness.move()
            let rows = try await harness.pool.query("SELECT user_id, fallback_step FROM devices")
            let steps = Dictionary(
                uniqueKeysWithValues: try rows.map { (try $0.string("user_id"), try $0.string("fallback_step")) })
            #expect(examples.count > 500)
            for example in examples {
                let next = ModelFallbackRule().next(example.state, example.start) ?? example.state.step
                #expect(steps[example.name] == next.rawValue, "\(example)")
            }
        }
    }

    @Test func aGivenUpStartWakesTheAppThenAsksTheUserThenLeavesThePhoneAlone() async throws {
        try await with { harness in
            try await harness.phone()
            #expect(try await harness.move() == [.silent: 1])
            let silent = try await harness.claim()
            #expect(silent.map(\.step) == [.silent])
            #expect(silent.first?.token == DeviceToken("ddann"))
            #expect(silent.first?.purpose.match?.id == MatchID(1))
            #expect(try await harness.claim().isEmpty)
            #expect(try await harness.move() == [:])
            try await harness.later(119)
            #expect(try await harness.move() == [:])
            try await harness.later(2)
            #expect(try await harness.move() == [.visible: 1])
            #expect(try await harness.claim().map(\.step) == [.visible])
            try await harness.later()
            #expect(try await harness.move() == [.passive: 1])
            try await harness.later(100_000)
            #expect(try await harness.move() == [:])
            #expect(try await harness.claim().isEmpty)
            #expect(try await harness.store.fallbackCounts() == [.silent: 0, .visible: 0, .passive: 1])
        }
    }

    @Test(arguments: ["silent", "visible", "passive"])
    func theAppsRegistrationEndsItAndTheStartGoesOutAtOnce(step: String) async throws {
        try await with { harness in
            try await harness.phone()
            while try await !harness.step().hasPrefix(step) {
                _ = try await harness.move()
                if try await harness.step().hasPrefix(step) { break }
                _ = try await harness.claim()
                try await harness.later()
            }
            if step == "visible" { try await harness.registerStartToken("aaann") } else { try await harness.openApp() }
            #expect(try await harness.step() == "none none")
            #expect(try await harness.claim().isEmpty, "what was due is not sent any more")
            let starts = try await harness.activities.claimStarts(harness.shards, limit: 10, lease: .seconds(120))
            #expect(starts.map(\.attempt) == [1])
            // The same token is lost again: it has had its pushes.
            try await harness.pool.execute("UPDATE live_activities SET start_given_up_at = clock_timestamp()")
            #expect(try await harness.move() == [.passive: 1])
            // Another one has not, but one notification a day is enough.
            try await harness.registerStartToken("aa02")
            try await harness.pool.execute("UPDATE live_activities SET start_given_up_at = clock_timestamp()")
            #expect(try await harness.move() == [.silent: 1])
            #expect(try await harness.claim().count == (step == "silent" ? 1 : 0), "it was asked within the hour")
            try await harness.later()
            #expect(try await harness.move() == (step == "passive" ? [.passive: 1] : [.visible: 1]))
        }
    }

    @Test func aDeadStartTokenIsDealtWithAtOnceUntilAnotherComes() async throws {
        try await with { harness in
            try await harness.phone(start: "under way")
            try await harness.pool.execute("UPDATE live_activities SET start_attempts = 0")
            let start = try #require(
                try await harness.activities.claimStarts(harness.shards, limit: 10, lease: .seconds(120)).first)
            // An old answer is about another life of the token.
            try await harness.pool.execute("UPDATE devices SET push_to_start_token_at = clock_timestamp()")
            try await harness.activities.retireStartToken(start, sinceMs: 1_000)
            #expect(try await harness.move() == [:])
            // Another try would have the same answer; it waits for a while.
            #expect(
                try await harness.activities.claimStarts(harness.shards, limit: 10, lease: .seconds(120)).isEmpty)
            try await harness.activities.retireStartToken(start, sinceMs: nil)
            #expect(try await harness.move() == [.silent: 1])
            #expect(try await harness.claim().count == 1)
            // The app wakes, and tells us everything but a new token: nothing more is sent.
            try await harness.openApp()
            #expect(try await harness.step() == "none none")
            #expect(try await harness.move() == [.passive: 1])
            try await harness.registerStartToken("aa02")
            #expect(try await harness.move() == [:])
            #expect(
                try await harness.activities.claimStarts(harness.shards, limit: 10, lease: .seconds(120)).map(\.token)
                    == [PushToStartToken("aa02")])
        }
    }

    /// The phone registered a token that was dead already: APNs says so again and again, with a time before that.
    @Test(arguments: [30, 7_200])
    func aWordFromBeforeTheRegistrationOfAStartTokenChangesNothing(age: Int) async throws {
        try await with { harness in
            try await harness.phone(start: "under way")
            try await harness.pool.execute("UPDATE live_activities SET start_attempts = 0")
            let start = try #require(
                try await harness.activities.claimStarts(harness.shards, limit: 10, lease: .seconds(120)).first)
            try await harness.pool.execute(
                "UPDATE devices SET push_to_start_token_at = clock_timestamp() - $1::bigint * interval '1 second'",
                [.int(age)])
            try await harness.activities.retireStartToken(start, sinceMs: 1_000)
            let row = try await harness.pool.query("SELECT push_to_start_token, dead_start_token_hash FROM devices")[0]
            #expect(try !row.isNull("push_to_start_token"))
            #expect(try row.isNull("dead_start_token_hash"))
            #expect(try await harness.move() == [:])
        }
    }

    @Test(
        arguments: [
            "DELETE FROM match_follows", "UPDATE active_matches SET settled_at = clock_timestamp()",
            "UPDATE active_matches SET at_stumps = true",
            "UPDATE live_activities SET status = 'active', update_token = 'ee'",
        ])
    func whatNobodyNeedsAnyMoreIsNotSent(change: String) async throws {
        try await with { harness in
            try await harness.phone()
            _ = try await harness.move()
            try await harness.pool.execute(change)
            #expect(try await harness.claim().isEmpty)
            #expect(try await harness.move() == [:])
            #expect(try await harness.step() == "none none")
        }
    }

    @Test func aStartThatIsAnsweredAfterAllEndsItAndTheOthersAreTriedAgain() async throws {
        try await with { harness in
            try await harness.phone()
            try await harness.match(2)
            try await harness.pool.execute("INSERT INTO match_follows (user_id, match_id) VALUES ('ann', 2)")
            try await harness.pool.execute(
                """
                INSERT INTO live_activities (match_id, user_id, device_id, generation, route, shard, start_id,
                    start_attempts, start_sent_at)
                VALUES (2, 'ann', 'phone', 1, 1, 1, 'start-2', 1, clock_timestamp())
                """)
            _ = try await harness.move()
            _ = try await harness.claim()
            try await harness.later()
            #expect(try await harness.move() == [.visible: 1])
            _ = try await ActivityTokenStore(pool: harness.pool).register(
                ActivityTokenRequest(
                    activityToken: UpdateToken("ee02"), deviceId: Self.device, activityId: nil,
                    startId: StartID("start-2")), match: MatchID(2), user: Self.user)
            let changes = try await harness.store.moveFallbacks(Self.fallback, under: harness.orchestrator)
            #expect(changes.moved == [.none: 1])
            #expect(changes.matches == [MatchID(1)])
            #expect(
                try await harness.activities.claimStarts(harness.shards, limit: 10, lease: .seconds(120))
                    .map(\.key.matchID) == [MatchID(1)])
        }
    }

    @Test(arguments: [HoldLevel.pushes, .alerts, .none])
    func aHoldKeepsWhatItStops(level: HoldLevel) async throws {
        let first: [StartFallback.Step] = level == .pushes ? [] : [.silent]
        let second: [StartFallback.Step] = level == .none ? [.visible] : []
        try await with { harness in
            try await harness.phone()
            _ = try await harness.move()
            try await harness.pool.execute(
                "INSERT INTO holds (scope, level, set_by) VALUES ('everywhere', $1, 'asha')",
                [.text(level.rawValue)])
            #expect(try await harness.claim().map(\.step) == first)
            try await harness.pool.execute("UPDATE devices SET fallback_push = 'sent'")
            try await harness.later()
            #expect(try await harness.move() == [.visible: 1])
            #expect(try await harness.claim().map(\.step) == second)
            // What is held waits, for as long as it takes.
            try await harness.later(100_000)
            #expect(try await harness.move() == (second.isEmpty ? [:] : [.passive: 1]))
            try await harness.pool.execute("UPDATE holds SET level = 'none'")
            #expect(try await harness.claim().count == (second.isEmpty ? 1 : 0))
        }
    }

    @Test func onlyWhatCertainlyDidNotLeaveIsSentAgain() async throws {
        try await with { harness in
            try await harness.phone()
            _ = try await harness.move()
            let claim = try #require(try await harness.claim().first)
            try await harness.activities.releaseFallback(claim, after: .seconds(60))
            #expect(try await harness.claim().isEmpty)
            try await harness.later(61)
            let again = try #require(try await harness.claim().first)
            // Said again of the claim before: that is over.
            try await harness.activities.releaseFallback(claim, after: .zero)
            #expect(try await harness.claim().isEmpty)
            // APNs calls the device token dead: nothing else is. Before it was registered it had another life.
            try await harness.pool.execute("UPDATE devices SET device_token_at = clock_timestamp()")
            try await harness.activities.retireDeviceToken(again, sinceMs: 1_000)
            #expect(try await harness.pool.query("SELECT 1 FROM devices WHERE device_token IS NOT NULL").count == 1)
            try await harness.activities.retireDeviceToken(again, sinceMs: nil)
            let row = try await harness.pool.query("SELECT device_token, push_to_start_token FROM devices")[0]
            #expect(try row.isNull("device_token"))
            #expect(try row.string("push_to_start_token") == "aaann")
            // Without one there is nothing to send, and the steps go on.
            try await harness.later()
            #expect(try await harness.move() == [.visible: 1])
            #expect(try await harness.step() == "visible none")
        }
    }

    @Test func aPhoneThatSignsOutOrGoesToAnotherUserIsForgotten() async throws {
        try await with { harness in
            try await harness.phone()
            _ = try await harness.move()
            _ = try await harness.devices.unregister("phone", user: Self.user)
            #expect(try await harness.step() == "none none")
            #expect(try await harness.move() == [:])
        }
    }
}
