import Activities
import Postgres
import SightscreenModels
import TestKit
import Testing

@testable import Store
@testable import APIGateway

/// What is taken without asking the rule is what the rule would have said.
@Suite struct ActivityTokenShortcutTests {
    private static func take(_ jobs: [ActivityTokenJob], _ pool: PostgresPool) async throws -> [Int:
        ActivityTokenRule.Action]
    {
        let shortcut = ActivityTokenShortcut(jobs)
        return try shortcut.answer(try await pool.exchange(shortcut.statements)).taken
    }

    /// Parts of a round whose requests have neither a user nor a token in common, in an order that keeps that of each.
    private static func waves(_ jobs: [ActivityTokenJob]) -> [[ActivityTokenJob]] {
        var waves: [[ActivityTokenJob]] = []
        var seen: [[Int]] = []
        for job in jobs {
            // Behind the last one that it has a key in common with.
            let place = (seen.lastIndex { !Set($0).isDisjoint(with: job.conflictKeys) } ?? -1) + 1
            if place == waves.count {
                waves.append([])
                seen.append([])
            }
            waves[place].append(job)
            seen[place] += job.conflictKeys
        }
        return waves
    }

    /// The same registrations in two databases: in one all are judged by the rule, in the other those that the shortcut
    /// leaves.
    @Test(arguments: 11...18 as ClosedRange<UInt64>) func itDoesWhatTheRuleSaysOrNothing(seed: UInt64) async throws {
        var taken: [String: Int] = [:]
        try await withDatabase(size: 3) { (ruled: PostgresPool) async throws in
            try await withDatabase(size: 3) { (cut: PostgresPool) async throws in
                var world = ActivityTokenWorld(seed: seed)
                for statement in world.population() {
                    for pool in [ruled, cut] { try await pool.execute(statement) }
                }
                for round in 0..<9 {
                    for statement in world.interlude() {
                        for pool in [ruled, cut] { try await pool.execute(statement) }
                    }
                    for wave in Self.waves(world.round(try await ActivityTokenWorld.known(ruled))) {
                        let actions = try await Self.take(wave, cut)
                        for (place, job) in wave.enumerated() {
                            let expected = try? await ActivityTokenStore.registerAlone(
                                job, isAwaited: { _ in true }, ruled, 900
                            ).action
                            if let action = actions[place] {
                                taken[String("\(action)".prefix { $0 != "(" }), default: 0] += 1
                                #expect(action == expected, "seed \(seed), round \(round): \(job)")
                            } else {
                                _ = try? await ActivityTokenStore.registerAlone(
                                    job, isAwaited: { _ in true }, cut, 900)
                            }
                        }
                    }
                    let rows = (try await ActivityTokenWorld.rows(ruled), try await ActivityTokenWorld.rows(cut))
                    let difference = rows.1.difference(from: rows.0)
                    guard difference.isEmpty else {
                        Issue.record("seed \(seed), round \(round): \(difference)")
                        return
                    }
                }
            }
        }
        for action in ["activate", "rotate", "keep"] { #expect(taken[action, default: 0] >= 1, "\(taken)") }
    }

    // MARK: - Races

    private static func job(_ user: String, _ token: String) -> ActivityTokenJob {
        ActivityTokenJob(
            request: ActivityTokenRequest(activityToken: UpdateToken(token), deviceId: DeviceID("phone")),
            match: MatchID(1), user: UserID(user))
    }

    /// Followers of a match in play, with a start that is out for each.
    private static func seed(_ pool: PostgresPool, _ users: [String]) async throws {
        try await pool.execute(
            """
            INSERT INTO active_matches (match_id, display_state, version, stamp, went_live_at)
            VALUES (1, 'live', 7, 1000, now())
            """)
        for user in users {
            for statement in [
                "INSERT INTO match_follows (user_id, match_id) VALUES ($1, 1)",
                "INSERT INTO devices (user_id, device_id, route, shard) VALUES ($1, 'phone', 1, 1)",
                """
                INSERT INTO live_activities (match_id, user_id, device_id, generation, route, shard, start_sent_at)
                VALUES (1, $1, 'phone', 1, 1, 1, now())
                """,
            ] { try await pool.execute(statement, [.text(user)]) }
        }
    }

    /// Changes that are not made under the user's lock: by a coordinator, by the orchestrator.
    @Test(arguments: [
        "status = 'ended', end_reason = 'match_end', ended_at = now()", "start_id = 'another'",
        "status = 'active', update_token = 'b1'",
    ]) func whoWaitsForAnothersChangeOfTheRowLeavesItAlone(change: String) async throws {
        try await withDatabase(size: 4) { (pool: PostgresPool) async throws in
            try await Self.seed(pool, ["ann", "bob", "cid"])
            let taking = try await pool.transaction { transaction in
                try await transaction.execute("UPDATE live_activities SET \(change) WHERE user_id = 'bob'")
                let taking = Task {
                    try await Self.take([Self.job("ann", "a1"), Self.job("bob", "b1"), Self.job("cid", "c1")], pool)
                }
                try await eventually("it waits for the row") {
                    try await pool.query(
                        "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
                    ).count == 1
                }
                return taking
            }
            #expect(try await taking.value == [0: .activate(generation: 1), 2: .activate(generation: 1)])
        }
    }

    @Test func aTokenThatAnothersActivityHasIsLeftAlone() async throws {
        try await withDatabase(size: 3) { (pool: PostgresPool) async throws in
            try await Self.seed(pool, ["ann", "bob", "cid"])
            _ = try await Self.take([Self.job("ann", "t1"), Self.job("bob", "t2")], pool)
            // One that runs, and one whose end still waits.
            try await FollowStore(pool: pool).unfollow(MatchID(1), user: UserID("bob"))
            for token in ["t1", "t2"] { #expect(try await Self.take([Self.job("cid", token)], pool) == [:]) }
            #expect(try await Self.take([Self.job("cid", "t3")], pool) == [0: .activate(generation: 1)])
        }
    }

    @Test func whoWasDeletedAMomentAgoIsLeftAlone() async throws {
        try await withDatabase(size: 3) { (pool: PostgresPool) async throws in
            try await Self.seed(pool, ["ann", "bob"])
            try await pool.execute("INSERT INTO deleted_users (user_id, deleted_at) VALUES ('ann', now())")
            #expect(
                try await Self.take([Self.job("ann", "a1"), Self.job("bob", "b1")], pool) == [
                    1: .activate(generation: 1)
                ])
        }
    }

    /// Whose activity began within the hour was seen then; anybody else is looked up, and seen now.
    @Test(arguments: [(began: 59, isSeenNow: false), (began: 61, isSeenNow: true)])
    func whoWasNotSeenForAnHourIsSeen(began: Int, isSeenNow: Bool) async throws {
        try await withDatabase(size: 3) { (pool: PostgresPool) async throws in
            try await Self.seed(pool, ["ann"])
            #expect(try await Self.take([Self.job("ann", "a1")], pool) == [0: .activate(generation: 1)])
            try await pool.execute(
                "UPDATE live_activities SET activated_at = now() - make_interval(mins => $1::int)", [.int(began)])
            try await pool.execute("UPDATE devices SET last_seen_at = now() - interval '90 minutes'")
            #expect(try await Self.take([Self.job("ann", "a2")], pool) == [0: .rotate(generation: 1)])
            let seen = try await pool.query("SELECT last_seen_at > now() - interval '1 minute' AS now FROM devices")
            #expect(try seen.first?.bool("now") == isSeenNow)
        }
    }

    /// Nothing is taken for a phone without a record, or with one that may be taken away at any moment.
    @Test(arguments: ["DELETE FROM devices", "UPDATE devices SET last_seen_at = now() - interval '31 days'"])
    func aPhoneThatIsNotOnRecordIsLeftAlone(change: String) async throws {
        try await withDatabase(size: 3) { (pool: PostgresPool) async throws in
            try await Self.seed(pool, ["ann", "bob"])
            try await pool.execute("\(change) WHERE user_id = 'ann'")
            #expect(
                try await Self.take([Self.job("ann", "a1"), Self.job("bob", "b1")], pool) == [
                    1: .activate(generation: 1)
                ])
        }
    }

    @Test func aPhoneThatIsNotNamedIsLeftAlone() async throws {
        try await withDatabase(size: 3) { (pool: PostgresPool) async throws in
            try await Self.seed(pool, ["ann", "bob"])
            var unnamed = Self.job("ann", "a1")
            unnamed.request.deviceId = nil
            #expect(try await Self.take([unnamed, Self.job("bob", "b1")], pool) == [1: .activate(generation: 1)])
        }
    }

    // MARK: - How it finds its rows

    /// Also while the tables are empty as far as their statistics know: the plan is kept when a million rows have come.
    @Test func nothingIsFoundByGoingThroughATable() async throws {
        try await withDatabase(size: 3) { (pool: PostgresPool) async throws in
            for _ in 0..<2 {
                let statements = ActivityTokenShortcut([Self.job("ann", "a1")]).statements
                let plan = try await pool.transaction { transaction in
                    try await transaction.execute(statements[0].sql, statements[0].parameters)
                    try await transaction.execute(
                        "PREPARE taking (bigint[], text[], text[], text[], text[], text[], bigint[]) AS \(statements[1].sql)"
                    )
                    let lines = try await transaction.query(
                        "EXPLAIN (COSTS OFF) EXECUTE taking ('{1}', '{ann}', '{phone}', '{a1}', '{NULL}', '{NULL}', '{1}')"
                    )
                    try await transaction.execute("DEALLOCATE taking")
                    return try lines.map { try $0.string("QUERY PLAN") }.joined(separator: "\n")
                }
                #expect(!plan.contains("Seq Scan"), "\(plan)")
                for index in ["live_activities_pkey", "live_activities_due_token", "live_activities_token"] {
                    #expect(plan.contains("using \(index) on"), "\(plan)")
                }
                // A walk over all ends that are due, or over all phones.
                for index in ["ends", "current", "changes"] { #expect(!plan.contains("_\(index)"), "\(plan)") }
                for table in ["live_activities", "devices", "deleted_users"] {
                    _ = try await pool.withConnection { try await $0.execute("VACUUM ANALYZE \(table)") }
                }
            }
        }
    }
}
