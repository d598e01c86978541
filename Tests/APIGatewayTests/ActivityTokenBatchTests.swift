import Activities
import Postgres
import SightscreenModels
import Synchronization
import TestKit
import Testing

@testable import Store
@testable import APIGateway

@Suite struct ActivityTokenBatchTests {
    /// How often each action was decided in a batch, and how often a request had to be done again.
    private final class Tally: Sendable {
        private let counts = Mutex<[String: Int]>([:])

        subscript(name: String) -> Int { counts.withLock { $0[name] ?? 0 } }
        var text: String { counts.withLock { "\($0.sorted { $0.key < $1.key })" } }

        func count(_ outcomes: [ActivityTokenStore.Outcome]) {
            for outcome in outcomes {
                let name =
                    switch outcome {
                    case .answered(let answer): String("\(answer.action)".prefix { $0 != "(" })
                    case .failed: "failed"
                    case .retry, .retryAfter: "retry"
                    }
                counts.withLock { $0[name, default: 0] += 1 }
            }
            counts.withLock { $0["largest"] = max($0["largest"] ?? 0, outcomes.count) }
        }
    }

    private func makeBatcher(_ pool: PostgresPool, _ tally: Tally) -> Batcher<
        ActivityTokenJob, ActivityTokenStore.Registered
    > {
        let contentStates = ContentStateCache()
        var limits = Batcher<ActivityTokenJob, ActivityTokenStore.Registered>.Limits()
        limits.secondBatchMin = 4
        limits.timeout = .seconds(60)
        return Batcher(limits: limits) { jobs, isAwaited in
            let outcomes = await ActivityTokenStore.registerBatch(
                jobs, isAwaited: isAwaited, pool, .inClear, 900, contentStates)
            tally.count(outcomes)
            return outcomes
        }
    }

    private static func text(_ result: Result<ActivityTokenStore.Registered, any Error>) -> String {
        switch result {
        case .success(let answer):
            "\(answer.action) \(answer.contentState?.version ?? 0) \(answer.changedMatches.sorted())"
        case .failure(let error): "\(error)"
        }
    }

    private static func result(
        _ body: () async throws -> ActivityTokenStore.Registered
    ) async -> Result<ActivityTokenStore.Registered, any Error> {
        do { return .success(try await body()) } catch { return .failure(error) }
    }

    /// The same registrations one by one in one database, and all of a round at once in another.
    @Test(arguments: 1...3 as ClosedRange<UInt64>) func inBatchesOrOneByOneTheAnswersAndTheRowsAreTheSame(seed: UInt64)
        async throws
    {
        let tally = Tally()
        try await withDatabase(size: 8) { (single: PostgresPool) async throws in
            try await withDatabase(size: 8) { (batched: PostgresPool) async throws in
                var scenario = ActivityTokenScenario(seed: seed)
                let store = ActivityTokenStore(pool: single)
                let batcher = makeBatcher(batched, tally)
                for statement in scenario.population() {
                    for pool in [single, batched] { try await pool.execute(statement) }
                }
                for round in 0..<30 {
                    for statement in scenario.interlude() {
                        for pool in [single, batched] { try await pool.execute(statement) }
                    }
                    let jobs = scenario.round(try await ActivityTokenScenario.known(single))
                    var expected: [String] = []
                    for job in jobs {
                        expected.append(
                            Self.text(
                                await Self.result {
                                    try await store.register(job.request, match: job.match, user: job.user)
                                }))
                    }
                    let answers = await withTaskGroup(of: (Int, String).self) { group in
                        for (place, job) in jobs.enumerated() {
                            // At once: each has arrived before the next one calls.
                            group.addImmediateTask {
                                (place, Self.text(await Self.result { try await batcher.submit(job) }))
                            }
                        }
                        return await group.reduce(into: [Int: String]()) { $0[$1.0] = $1.1 }
                    }
                    for (place, job) in jobs.enumerated() where answers[place] != expected[place] {
                        Issue.record(
                            "seed \(seed), round \(round): \(job): \(answers[place] ?? "") for \(expected[place])")
                    }
                    let rows = (
                        try await ActivityTokenScenario.rows(single), try await ActivityTokenScenario.rows(batched)
                    )
                    let difference = rows.1.difference(from: rows.0)
                    guard difference.isEmpty else {
                        Issue.record("seed \(seed), round \(round): \(difference)")
                        return
                    }
                }
            }
        }
        // It is no comparison unless most went together, and each action among them.
        for action in ["activate", "rotate", "keep", "adopt", "replace", "end", "refuse"] {
            #expect(tally[action] >= 5, "\(tally.text)")
        }
        #expect(tally["largest"] >= 10, "\(tally.text)")
        #expect(tally["retry"] < tally["activate"] + tally["rotate"] + tally["keep"] + tally["end"], "\(tally.text)")
    }

    // MARK: - Races and failures

    private static let match = MatchID(1)

    /// Two followers with a start that is out for each.
    private func seed(_ pool: PostgresPool, _ users: [String] = ["ann", "bob"]) async throws {
        try await pool.execute(
            """
            INSERT INTO active_matches (match_id, display_state, version, stamp, content_state, went_live_at)
            VALUES (1, 'live', 7, 1000, NULL, now())
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

    private static func job(_ user: String, _ token: String) -> ActivityTokenJob {
        ActivityTokenJob(
            request: ActivityTokenRequest(activityToken: UpdateToken(token), deviceId: DeviceID("phone")), match: match,
            user: UserID(user))
    }

    private static func tokens(_ pool: PostgresPool) async throws -> [String] {
        try await pool.query(
            "SELECT user_id || ' ' || coalesce(update_token, '-') AS line FROM live_activities ORDER BY 1"
        )
        .map { try $0.string("line") }
    }

    @Test func aRecordThatChangesBetweenReadingAndWritingIsDoneAgain() async throws {
        try await withDatabase { (pool: PostgresPool) async throws in
            try await seed(pool)
            let batch = try ActivityTokenBatch(
                [Self.job("bob", "b1"), Self.job("ann", "a1")], .inClear, dismissAfter: 900)
            let (_, answers) = try await pool.exchange(reading: batch.reading) { ([], $0) }
            try await pool.execute(
                """
                UPDATE live_activities SET status = 'ended', end_reason = 'user_unfollow', ended_at = now()
                WHERE user_id = 'ann'
                """)
            let (written, plan) = try await pool.exchange(reading: []) { _ in try batch.decide(answers) }
            let outcomes = try batch.outcomes(plan, written: written, contentStates: [:])
            guard case .answered(let answer) = outcomes[0], case .retry = outcomes[1] else {
                Issue.record("\(outcomes)")
                return
            }
            #expect(answer.action == .activate(generation: 1))
            #expect(try await Self.tokens(pool) == ["ann -", "bob b1"])
        }
    }

    /// Who has heard that it failed may have unfollowed since: nothing of it may happen any longer.
    @Test func whoHasGoneBeforeAnythingIsSentIsLeftOut() async throws {
        try await withDatabase { (pool: PostgresPool) async throws in
            try await seed(pool)
            let before = try await Self.tokens(pool)
            let outcomes = await ActivityTokenStore.registerBatch(
                [Self.job("ann", "ann2"), Self.job("bob", "bob2")], isAwaited: { $0 != 0 }, pool, .inClear, 900,
                ContentStateCache())
            guard case .failed(let error) = outcomes[0], case .answered = outcomes[1] else {
                Issue.record("\(outcomes)")
                return
            }
            #expect(error as? BatcherRefusal == .late)
            #expect(try await Self.tokens(pool) == [before[0], "bob bob2"])
        }
    }

    /// As when PostgreSQL is away for longer than a caller waits: the connection comes too late.
    @Test func aCallerThatWasTooLateForAConnectionChangesNothing() async throws {
        try await withDatabase(size: 2) { (pool: PostgresPool) async throws in
            try await seed(pool)
            var limits = Batcher<ActivityTokenJob, ActivityTokenStore.Registered>.Limits()
            limits.timeout = .milliseconds(200)
            let batcher = Batcher(limits: limits) { jobs, isAwaited in
                await ActivityTokenStore.registerBatch(
                    jobs, isAwaited: isAwaited, pool, .inClear, 900, ContentStateCache())
            }
            // One of two is kept for plain queries.
            _ = try await pool.transaction { _ in
                await #expect(throws: BatcherRefusal.late) { try await batcher.submit(Self.job("ann", "a1")) }
            }
            // The connection went to the one that waited for it first; whoever is answered now comes after it.
            _ = try await ActivityTokenStore(pool: pool).register(
                Self.job("bob", "b1").request, match: Self.match, user: UserID("bob"))
            #expect(try await Self.tokens(pool) == ["ann -", "bob b1"])
        }
    }

    /// Reports of the tokens, one after the other.
    /// - Returns: what was decided, and the token on record in the end.
    private static func report(
        _ tokens: [String], _ pool: PostgresPool
    ) async throws -> ([ActivityTokenRule.Action], String) {
        let store = ActivityTokenStore(pool: pool)
        var actions: [ActivityTokenRule.Action] = []
        for token in tokens {
            let job = job("ann", token)
            let answer = try await store.register(job.request, match: job.match, user: job.user)
            actions.append(answer.action)
        }
        return (actions, try await Self.tokens(pool)[0])
    }

    @Test func aLateReportOfAReplacedTokenChangesNothing() async throws {
        try await withDatabase { (pool: PostgresPool) async throws in
            try await seed(pool, ["ann"])
            let reports = ["a1", "a2", "a3", "a1", "a2", "a3"]
            let (actions, token) = try await Self.report(reports, pool)
            #expect(
                actions == [
                    .activate(generation: 1), .rotate(generation: 1), .rotate(generation: 1), .keep(generation: 1),
                    .keep(generation: 1), .keep(generation: 1),
                ])
            #expect(token == "ann a3")
            // The last few of an app that has had many.
            let many = try await Self.report((4...9).map { "a\($0)" } + ["a5", "a8"], pool)
            #expect(many.0.suffix(2) == [.keep(generation: 1), .keep(generation: 1)])
            #expect(many.1 == "ann a9")
            let kept = try await pool.query("SELECT cardinality(former_tokens) AS n FROM live_activities")
            #expect(try kept[0].int("n") == ActivityGeneration.formerTokensMax)
        }
    }

    /// The end is owed to the token that counts.
    @Test func aLateReportOfAReplacedTokenTakesNoEndAway() async throws {
        try await withDatabase { (pool: PostgresPool) async throws in
            try await seed(pool, ["ann"])
            _ = try await Self.report(["a1", "a2"], pool)
            try await FollowStore(pool: pool).unfollow(Self.match, user: UserID("ann"))
            let (actions, token) = try await Self.report(["a1"], pool)
            #expect(actions == [.end(generation: 1)])
            #expect(token == "ann a2")
            let row = try await pool.query("SELECT end_push, former_tokens IS NULL AS forgot FROM live_activities")[0]
            #expect(try row.string("end_push") == "due")
            #expect(try !row.bool("forgot"))
            // One that nobody knew is told, too.
            #expect(try await Self.report(["a3"], pool).1 == "ann a3")
        }
    }

    @Test func aRecordThatSomebodyElseMakesMeanwhileIsDoneAgain() async throws {
        try await withDatabase { (pool: PostgresPool) async throws in
            try await seed(pool)
            try await pool.execute("DELETE FROM live_activities")
            let batch = try ActivityTokenBatch(
                [Self.job("ann", "a1"), Self.job("bob", "b1")], .inClear, dismissAfter: 900)
            let (_, answers) = try await pool.exchange(reading: batch.reading) { ([], $0) }
            try await pool.execute(
                """
                INSERT INTO live_activities (match_id, user_id, device_id, generation, route, shard)
                VALUES (1, 'ann', 'phone', 1, 1, 1)
                """)
            let (written, plan) = try await pool.exchange(reading: []) { _ in try batch.decide(answers) }
            let outcomes = try batch.outcomes(plan, written: written, contentStates: [:])
            guard case .retry = outcomes[0], case .answered(let answer) = outcomes[1] else {
                Issue.record("\(outcomes)")
                return
            }
            #expect(answer.action == .adopt)
            #expect(try await Self.tokens(pool) == ["ann -", "bob b1"])
        }
    }

    @Test func whoseLockIsTakenWaitsAloneAndNobodyElseDoes() async throws {
        try await withDatabase(size: 6) { (pool: PostgresPool) async throws in
            try await seed(pool)
            let store = ActivityTokenStore(pool: pool)
            let ann = try await pool.forUser(UserID("ann")) { _ in
                let ann = Task.immediate {
                    let job = Self.job("ann", "a1")
                    return try await store.register(job.request, match: job.match, user: job.user)
                }
                let job = Self.job("bob", "b1")
                let answer = try await store.register(job.request, match: job.match, user: job.user)
                #expect(answer.action == .activate(generation: 1))
                #expect(try await Self.tokens(pool) == ["ann -", "bob b1"])
                return ann
            }
            #expect(try await ann.value.action == .activate(generation: 1))
            #expect(try await Self.tokens(pool) == ["ann a1", "bob b1"])
        }
    }

    /// Changes that are not made under the user's lock: by a coordinator, by the orchestrator.
    @Test(arguments: [
        "status = 'ended', end_reason = 'match_end', ended_at = now()", "start_id = 'another'",
        "status = 'active', update_token = 'b1'",
    ]) func whoWaitsForAnothersChangeOfTheRowIsDoneAgain(change: String) async throws {
        try await withDatabase(size: 4) { (pool: PostgresPool) async throws in
            try await seed(pool)
            let outcomes = try await pool.transaction { transaction in
                try await transaction.execute("UPDATE live_activities SET \(change) WHERE user_id = 'bob'")
                let outcomes = Task {
                    await ActivityTokenStore.registerBatch(
                        [Self.job("ann", "a1"), Self.job("bob", "b1")], isAwaited: { _ in true }, pool, .inClear, 900,
                        ContentStateCache())
                }
                try await eventually("it waits for the row") {
                    try await pool.query(
                        "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
                    ).count == 1
                }
                return outcomes
            }.value
            guard case .answered(let answer) = outcomes[0], case .retry = outcomes[1] else {
                Issue.record("\(outcomes)")
                return
            }
            #expect(answer.action == .activate(generation: 1))
        }
    }

    @Test func aRowThatSomebodyHoldsKeepsNobodyElseWaiting() async throws {
        try await withDatabase(size: 4) { (pool: PostgresPool) async throws in
            try await seed(pool)
            let outcomes = try await pool.transaction { transaction in
                try await transaction.execute("UPDATE live_activities SET start_id = 'another' WHERE user_id = 'bob'")
                return await ActivityTokenStore.registerBatch(
                    [Self.job("bob", "b1"), Self.job("ann", "a1")], isAwaited: { _ in true }, pool, .inClear, 900,
                    ContentStateCache())
            }
            guard case .retry = outcomes[0], case .answered = outcomes[1] else {
                Issue.record("\(outcomes)")
                return
            }
            #expect(try await Self.tokens(pool) == ["ann a1", "bob -"])
        }
    }

    /// Else it would be nobody's until the report is done again, and for ever if its caller has left by then.
    @Test(arguments: ["UPDATE live_activities SET start_id = 'another'", "DELETE FROM live_activities"])
    func aTokenIsTakenOnlyForWhoHasItThen(change: String) async throws {
        try await withDatabase { (pool: PostgresPool) async throws in
            try await seed(pool)
            _ = try await ActivityTokenStore(pool: pool).register(
                Self.job("bob", "shared").request, match: Self.match, user: UserID("bob"))
            try await pool.execute("UPDATE devices SET left_at = now() WHERE user_id = 'bob'")
            let batch = try ActivityTokenBatch([Self.job("ann", "shared")], .inClear, dismissAfter: 900)
            let (_, answers) = try await pool.exchange(reading: batch.reading) { ([], $0) }
            try await pool.execute("\(change) WHERE user_id = 'ann'")
            let error = await #expect(throws: PostgresError.self) {
                _ = try await pool.exchange(reading: []) { _ in try batch.decide(answers) }
            }
            #expect(error?.code == .server(ActivityTokenWrite.takenForNothing))
            #expect(try await Self.tokens(pool).last == "bob shared")
            let answer = try await ActivityTokenStore(pool: pool).register(
                Self.job("ann", "shared").request, match: Self.match, user: UserID("ann"))
            #expect(answer.changedMatches == [Self.match])
            let rows = try await pool.query("SELECT end_reason FROM live_activities WHERE user_id = 'bob'")
            #expect(try rows.first?.optionalString("end_reason") == "token_invalid")
        }
    }

    /// Bob reports the token that Ann replaces in the same batch; she has left the phone.
    @Test(arguments: [true, false]) func whoComesFirstGoesFirst(isAnn: Bool) async throws {
        try await withDatabase { (pool: PostgresPool) async throws in
            try await seed(pool)
            #expect(try await Self.report(["a1"], pool).1 == "ann a1")
            try await pool.execute("UPDATE devices SET left_at = now() WHERE user_id = 'ann'")
            let jobs = [Self.job("ann", "a2"), Self.job("bob", "a1")]
            let outcomes = await ActivityTokenStore.registerBatch(
                isAnn ? jobs : jobs.reversed(), isAwaited: { _ in true }, pool, .inClear, 900, ContentStateCache())
            guard case .answered(let answer) = outcomes[0], case .retry = outcomes[1] else {
                Issue.record("\(outcomes)")
                return
            }
            #expect(answer.action == (isAnn ? .rotate(generation: 1) : .activate(generation: 1)))
            #expect(try await Self.tokens(pool) == (isAnn ? ["ann a2", "bob -"] : ["ann a1", "bob a1"]))
        }
    }

    @Test func whoWasDeletedAMomentAgoIsToldSo() async throws {
        try await withDatabase { (pool: PostgresPool) async throws in
            try await seed(pool)
            try await pool.execute("INSERT INTO deleted_users (user_id, deleted_at) VALUES ('ann', now())")
            let outcomes = await ActivityTokenStore.registerBatch(
                [Self.job("ann", "a1"), Self.job("bob", "b1")], isAwaited: { _ in true }, pool, .inClear, 900,
                ContentStateCache())
            guard case .failed(let error) = outcomes[0], case .answered = outcomes[1] else {
                Issue.record("\(outcomes)")
                return
            }
            #expect(error is AccountDeleted)
            #expect(try await Self.tokens(pool) == ["ann -", "bob b1"])
        }
    }

    @Test(arguments: [
        (change: "last_seen_at = now() - interval '50 minutes'", isSeenNow: false),
        (change: "last_seen_at = now() - interval '61 minutes'", isSeenNow: true),
        (change: "last_seen_at = now() - interval '31 days'", isSeenNow: true),
    ]) func whoWasNotSeenForAnHourIsSeen(change: String, isSeenNow: Bool) async throws {
        try await withDatabase { (pool: PostgresPool) async throws in
            try await seed(pool, ["ann"])
            try await pool.execute("UPDATE devices SET \(change)")
            #expect(try await Self.report(["a1"], pool).1 == "ann a1")
            let seen = try await pool.query("SELECT last_seen_at > now() - interval '1 minute' AS now FROM devices")
            #expect(try seen.first?.bool("now") == isSeenNow)
        }
    }

    @Test func aPhoneThatIsNotOnRecordGetsOneFirst() async throws {
        try await withDatabase { (pool: PostgresPool) async throws in
            try await seed(pool, ["ann"])
            try await pool.execute("DELETE FROM devices")
            #expect(try await Self.report(["a1"], pool).1 == "ann a1")
            #expect(try await pool.query("SELECT FROM devices").count == 1)
            // As many as there may be, none of which gives way.
            try await pool.execute(
                """
                INSERT INTO devices (user_id, device_id, route, shard, device_token)
                SELECT 'bob', 'phone' || n, 1, 1, 'bob' || n FROM generate_series(1, \(UserDevices.devicesMax)) AS n
                """)
            let job = Self.job("bob", "b1")
            await #expect(throws: LimitReached.self) {
                try await ActivityTokenStore(pool: pool).register(job.request, match: job.match, user: job.user)
            }
        }
    }

    @Test func aPhoneThatIsNotNamedIsTheOnlyOne() async throws {
        try await withDatabase { (pool: PostgresPool) async throws in
            try await seed(pool)
            try await pool.execute("INSERT INTO devices (user_id, device_id, route, shard) VALUES ('bob', 'pad', 1, 1)")
            let store = ActivityTokenStore(pool: pool)
            func report(_ user: String) async throws -> ActivityTokenRule.Action {
                try await store.register(
                    ActivityTokenRequest(activityToken: UpdateToken(user)), match: Self.match, user: UserID(user)
                ).action
            }
            #expect(try await report("ann") == .activate(generation: 1))
            await #expect(throws: DeviceRequired.self) { try await report("bob") }
        }
    }

    @Test func oneRequestThatPostgreSQLRefusesHarmsNoOther() async throws {
        try await withDatabase(size: 6) { (pool: PostgresPool) async throws in
            try await seed(pool)
            // Whatever it is: here one user's rows cannot be written.
            try await pool.execute("ALTER TABLE live_activities ADD CHECK (user_id <> 'bob' OR update_token IS NULL)")
            let tally = Tally()
            let batcher = makeBatcher(pool, tally)
            let answers = await withTaskGroup(of: (String, String).self) { group in
                for user in ["ann", "bob"] {
                    group.addImmediateTask {
                        (user, Self.text(await Self.result { try await batcher.submit(Self.job(user, "t-\(user)")) }))
                    }
                }
                return await group.reduce(into: [String: String]()) { $0[$1.0] = $1.1 }
            }
            #expect(answers["ann"] == "activate(generation: 1) 0 [1]")
            #expect(answers["bob"]?.contains("23514") == true, "\(answers)")
            #expect(try await Self.tokens(pool) == ["ann t-ann", "bob -"])
        }
    }

    /// What each user was last told to be stored.
    private final class Ledger: Sendable {
        private let state = Mutex<(acknowledged: [String: String], isEnding: Bool)>(([:], false))

        var count: Int { state.withLock { $0.acknowledged.count } }
        var isEnding: Bool { state.withLock { $0.isEnding } }
        func end() { state.withLock { $0.isEnding = true } }
        func note(_ user: String, _ token: String) { state.withLock { $0.acknowledged[user] = token } }
        func takeAll() -> [String: String] {
            state.withLock { state in
                defer { state.acknowledged = [:] }
                return state.acknowledged
            }
        }
    }

    /// Registers one token after the other; one that failed is sent again, as an app does.
    private static func keepRegistering(_ user: String, _ store: ActivityTokenStore, _ ledger: Ledger) async {
        var round = 100_000
        while !ledger.isEnding {
            let job = job(user, "\(user)-\(round)")
            do {
                _ = try await store.register(job.request, match: job.match, user: job.user)
                ledger.note(user, job.request.activityToken.rawValue)
                round += 1
            } catch { continue }
        }
    }

    @Test func whatWasAcknowledgedSurvivesTheServersDeathAndEveryCallerHearsOfIt() async throws {
        let users = (0..<40).map { "user\($0)" }
        let server = PrivatePostgres(settings: ["fsync": "on", "full_page_writes": "on"])
        let pool = try PostgresPool(url: try await server.makeDatabase(), size: 6, applicationName: "tests")
        try await seed(pool, users)
        let store = ActivityTokenStore(pool: pool)
        let ledger = Ledger()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for user in users { group.addTask { await Self.keepRegistering(user, store, ledger) } }
            for _ in 0..<3 {
                try await eventually("everybody was told") { ledger.count == users.count }
                await server.stop(immediately: true)
                let told = ledger.takeAll()
                try await server.start()
                for row in try await pool.query("SELECT user_id, update_token FROM live_activities") {
                    let user = try row.string("user_id")
                    // It may be a round further: stored, and the server died before it could say so.
                    #expect(try row.string("update_token") >= told[user] ?? "", "\(user)")
                }
            }
            ledger.end()
            try await group.waitForAll()
        }
        await pool.close()
        await server.stop()
    }
}
