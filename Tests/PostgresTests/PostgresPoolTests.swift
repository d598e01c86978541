import Postgres
import TestKit
import Testing

@Suite struct PostgresPoolTests {
    @Test func readsBackWhatItSends() async throws {
        try await withDatabase(migrated: false) { pool in
            let rows = try await pool.query(
                """
                SELECT $1::text AS text, $2::bigint AS number, $3::boolean AS truth, $4::double precision AS real,
                       $5::text AS nothing, cardinality($6::text[]) AS count, ($6::text[])[2] AS second,
                       ($7::bigint[])[1] AS first
                """,
                [
                    "héllo 'wörld'", 42, true, 2.5, nil, .textArray(["a", "b\"\\,{}", nil]),
                    .intArray([9_000_000_000, 2]),
                ])
            let row = try #require(rows.first)
            #expect(try row.string("text") == "héllo 'wörld'")
            #expect(try row.int("number") == 42)
            #expect(try row.bool("truth"))
            #expect(try row.double("real") == 2.5)
            #expect(try row.optionalString("nothing") == nil)
            #expect(try row.int("count") == 3)
            #expect(try row.string("second") == "b\"\\,{}")
            #expect(try row.int64("first") == 9_000_000_000)
        }
    }

    @Test func refusesToReadWhatIsNotThere() async throws {
        try await withDatabase(migrated: false) { pool in
            let row = try #require(try await pool.query("SELECT NULL::bigint AS n, 'x' AS t").first)
            #expect(throws: PostgresError.self) { try row.int("n") }
            #expect(throws: PostgresError.self) { try row.int("t") }
            #expect(throws: PostgresError.self) { try row.int("missing") }
        }
    }

    @Test func keepsAnErrorWithItsOwnQuery() async throws {
        try await withDatabase(migrated: false) { pool in
            let answers = await withTaskGroup(of: (Int, Result<Int, any Error>).self) { group in
                for number in 0..<200 {
                    group.addTask {
                        do {
                            // Every tenth divides by zero.
                            let rows = try await pool.query(
                                "SELECT $1::int / $2::int AS value", [.int(number), .int(number % 10 == 0 ? 0 : 1)])
                            return (number, .success(try rows.first?.int("value") ?? -1))
                        } catch {
                            return (number, .failure(error))
                        }
                    }
                }
                var all: [Int: Result<Int, any Error>] = [:]
                for await (number, answer) in group { all[number] = answer }
                return all
            }
            for number in 0..<200 {
                switch try #require(answers[number]) {
                case .success(let value): #expect(value == number && number % 10 != 0)
                case .failure(let error):
                    #expect(number % 10 == 0)
                    #expect((error as? PostgresError)?.code == .server("22012"))
                }
            }
        }
    }

    @Test func namesAViolatedConstraint() async throws {
        try await withDatabase(migrated: false) { pool in
            try await pool.execute("CREATE TABLE one (id int CONSTRAINT one_only PRIMARY KEY)")
            #expect(try await pool.execute("INSERT INTO one VALUES (1), (2)") == 2)
            do {
                try await pool.execute("INSERT INTO one VALUES (1)")
                Issue.record("the second row was taken")
            } catch let error as PostgresError {
                #expect(error.code == .constraint("23505"))
                #expect(error.constraint == "one_only")
            }
        }
    }

    @Test func rollsBackWhenTheBodyThrows() async throws {
        struct Stop: Error {}
        try await withDatabase(migrated: false) { pool in
            try await pool.execute("CREATE TABLE t (id int)")
            await #expect(throws: Stop.self) {
                try await pool.transaction { transaction in
                    try await transaction.execute("INSERT INTO t VALUES (1)")
                    throw Stop()
                }
            }
            let value = try await pool.transaction { transaction in
                try await transaction.execute("INSERT INTO t VALUES (2)")
                return try await transaction.query("SELECT id FROM t").map { try $0.int("id") }
            }
            #expect(value == [2])
        }
    }

    @Test func saysSoWhenACommitOnlyRolledBack() async throws {
        try await withDatabase(migrated: false) { pool in
            await #expect(throws: PostgresError.self) {
                try await pool.transaction { transaction in
                    _ = try? await transaction.query("SELECT 1/0")
                }
            }
        }
    }

    @Test func queuesTransactionsWhenAllConnectionsAreTaken() async throws {
        try await withDatabase(migrated: false, size: 2) { pool in
            try await pool.execute("CREATE TABLE counter AS SELECT 0 AS n")
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<30 {
                    group.addTask {
                        try await pool.transaction { transaction in
                            let n = try await transaction.query("SELECT n FROM counter").first?.int("n") ?? 0
                            try await transaction.execute("UPDATE counter SET n = $1", [.int(n + 1)])
                        }
                    }
                }
                try await group.waitForAll()
            }
            // With one connection for transactions they ran one after the other.
            #expect(try await pool.query("SELECT n FROM counter").first?.int("n") == 30)
        }
    }

    @Test func tellsTheCallerWhenADeadlinePasses() async throws {
        try await withDatabase(migrated: false) { pool in
            // A busy machine takes longer than the deadline for the first connection.
            _ = try await pool.query("SELECT 1")
            await #expect { _ = try await pool.query("SELECT pg_sleep(30)", deadline: .milliseconds(100)) } throws: {
                ($0 as? PostgresError)?.code == .deadline
            }
            // The connection is given up a second later, and another takes its place.
            let one = try await pool.query("SELECT 1 AS one").first?.int("one")
            #expect(one == 1)
        }
    }

    @Test func reconnectsAfterTheServerEndedItsConnections() async throws {
        try await withDatabase(migrated: false) { pool in
            _ = try await pool.query("SELECT 1")
            _ = try? await pool.query(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database()")
            try await eventually("a query is answered again") { try await pool.query("SELECT 1").count == 1 }
        }
    }

    @Test func preparesAStatementAnewWhenATableChangedItsShape() async throws {
        try await withDatabase(migrated: false) { pool in
            try await pool.execute("CREATE TABLE t AS SELECT 1 AS a")
            _ = try await pool.query("SELECT * FROM t")
            try await pool.execute("ALTER TABLE t ADD COLUMN b int DEFAULT 2")
            _ = try? await pool.query("SELECT * FROM t")
            #expect(try await pool.query("SELECT * FROM t").first?.int("b") == 2)
        }
    }

    @Test func hearsNotificationsAndSaysWhenItMayHaveMissedSome() async throws {
        try await withDatabase(migrated: false) { pool in
            var heard = pool.listen(["news", "other \"channel\""]).makeAsyncIterator()
            #expect(await heard.next() == .reconnected)
            _ = try await pool.query("SELECT pg_notify('news', 'hello')")
            #expect(await heard.next() == .notified(channel: "news", payload: "hello"))
            _ = try await pool.query("SELECT pg_notify('other \"channel\"', '')")
            #expect(await heard.next() == .notified(channel: "other \"channel\"", payload: ""))
            _ = try await pool.query(
                """
                SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                WHERE datname = current_database() AND query LIKE 'LISTEN%'
                """)
            #expect(await heard.next() == .reconnected)
        }
    }

    @Test func failsQueriesOfAClosedPool() async throws {
        let url = try await PrivatePostgres.shared.makeDatabase(migrated: false)
        let pool = try PostgresPool(url: url, applicationName: "tests")
        _ = try await pool.query("SELECT 1")
        await pool.close()
        await #expect { _ = try await pool.query("SELECT 1") } throws: {
            ($0 as? PostgresError)?.code == .unavailable
        }
    }

    @Test func refusesAZeroByteWithoutHarm() async throws {
        try await withDatabase(migrated: false) { pool in
            await #expect(throws: PostgresError.self) { _ = try await pool.query("SELECT $1::text", [.text("a\0b")]) }
            let count = try await pool.query("SELECT 1").count
            #expect(count == 1)
        }
    }

    @Test func waitsForAServerThatIsNotThereYet() async throws {
        let server = PrivatePostgres(settings: ["fsync": "on", "full_page_writes": "on"])
        let url = try await server.makeDatabase(migrated: false)
        await server.stop()
        let pool = try PostgresPool(url: url, applicationName: "tests")
        await #expect { _ = try await pool.query("SELECT 1", deadline: .milliseconds(300)) } throws: {
            ($0 as? PostgresError)?.code == .unavailable
        }
        let (reports, reporter) = AsyncStream.makeStream(of: String.self)
        async let reached: Void = pool.waitUntilReachable { reporter.yield($0) }
        var reasons = reports.makeAsyncIterator()
        #expect(await reasons.next() != nil)
        try await server.start()
        try await reached
        // This one is as durable as production's.
        try await pool.checkDurability()
        await pool.close()
        await server.stop(immediately: true)
    }

    @Test func warnsOfAServerThatForgets() async throws {
        try await withDatabase(migrated: false) { pool in
            await #expect { try await pool.checkDurability() } throws: {
                ($0 as? PostgresError)?.code == .notDurable
            }
        }
    }

    @Test func looksHostNamesUpWithoutTheReactor() async throws {
        // Nobody listens there: the name is found, the connection is refused.
        let pool = try PostgresPool(url: "postgresql://nobody@localhost:1/none", applicationName: "tests")
        await #expect { _ = try await pool.query("SELECT 1", deadline: .milliseconds(500)) } throws: {
            ($0 as? PostgresError)?.code == .unavailable
        }
        await pool.close()
    }

    @Test func refusesAStringThatIsNoURLWithoutRepeatingIt() {
        #expect { _ = try PostgresPool(url: "postgresql://me:hunter2@[::1", applicationName: "tests") } throws: {
            !"\($0)".contains("hunter2")
        }
    }
}

@Suite struct ExchangeTests {
    private func accounts(_ pool: PostgresPool) async throws {
        try await pool.execute("CREATE TABLE accounts (name text PRIMARY KEY, sum int NOT NULL CHECK (sum >= 0))")
        try await pool.execute("INSERT INTO accounts VALUES ('a', 10), ('b', 0)")
    }

    private func sums(_ pool: PostgresPool) async throws -> [Int] {
        try await pool.query("SELECT sum FROM accounts ORDER BY name").map { try $0.int("sum") }
    }

    @Test func readsDecidesAndWritesInOneTransaction() async throws {
        try await withDatabase(migrated: false) { (pool: PostgresPool) async throws in
            try await accounts(pool)
            let (written, found) = try await pool.exchange(
                reading: [
                    PostgresStatement("SELECT pg_current_xact_id()::text AS id"),
                    PostgresStatement("SELECT sum FROM accounts WHERE name = $1", ["a"]),
                ]
            ) { answers in
                let sum = try answers[1].rows.first?.int("sum") ?? 0
                let writing = [
                    PostgresStatement("UPDATE accounts SET sum = sum - $1 WHERE name = 'a'", [.int(sum)]),
                    PostgresStatement(
                        "UPDATE accounts SET sum = sum + $1 WHERE name = 'b' RETURNING pg_current_xact_id()::text AS id",
                        [.int(sum)]),
                ]
                return (writing, try answers[0].rows.first?.string("id") ?? "")
            }
            #expect(written.map(\.affectedRows) == [1, 1])
            #expect(try written[1].rows.first?.string("id") == found)
            #expect(try await sums(pool) == [0, 10])
        }
    }

    @Test func nothingIsWrittenWhenAnythingFailsAndTheConnectionGoesOn() async throws {
        try await withDatabase(migrated: false, size: 2) { (pool: PostgresPool) async throws in
            try await accounts(pool)
            struct Refusal: Error {}
            for round in 0..<3 {
                // A statement that is read, the decision, one that is written: with others behind it that are new.
                await #expect(throws: PostgresError.self) {
                    _ = try await pool.exchange(
                        reading: [PostgresStatement("SELECT 1 / $1::int", [0]), PostgresStatement("SELECT \(round)")]
                    ) { _ in ([], ()) }
                }
                await #expect(throws: Refusal.self) {
                    _ = try await pool.exchange(reading: []) { _ -> ([PostgresStatement], Void) in throw Refusal() }
                }
                do {
                    _ = try await pool.exchange(reading: []) { _ in
                        (
                            [
                                PostgresStatement("UPDATE accounts SET sum = sum + 1 WHERE name = 'b'"),
                                PostgresStatement("UPDATE accounts SET sum = sum - 20 WHERE name = 'a'"),
                                PostgresStatement("UPDATE accounts SET sum = \(round + 50)"),
                            ], ()
                        )
                    }
                    Issue.record("a broken constraint was committed")
                } catch let error as PostgresError { #expect(error.code == .constraint("23514")) }
                #expect(try await sums(pool) == [10, 0])
                _ = try await pool.exchange(reading: []) { _ in
                    ([PostgresStatement("UPDATE accounts SET sum = 10 WHERE name = 'a'")], ())
                }
            }
            // What was skipped behind an error is prepared when it is needed.
            let (written, _) = try await pool.exchange(reading: [PostgresStatement("SELECT 2")]) { _ in
                ([PostgresStatement("UPDATE accounts SET sum = 52")], ())
            }
            #expect(written.first?.affectedRows == 2)
        }
    }

    @Test func whatIsKnownBeforehandIsOneTransactionToo() async throws {
        try await withDatabase(migrated: false, size: 2) { (pool: PostgresPool) async throws in
            try await accounts(pool)
            func take(_ sum: Int) -> PostgresStatement {
                PostgresStatement(
                    "UPDATE accounts SET sum = sum - $1 WHERE name = 'a' RETURNING pg_current_xact_id()::text AS id",
                    [.int(sum)])
            }
            let id = PostgresStatement("SELECT pg_current_xact_id()::text AS id")
            let results = try await pool.exchange([id, take(3)])
            #expect(results.count == 2)
            #expect(try results[0].rows[0].string("id") == results[1].rows[0].string("id"))
            await #expect(throws: PostgresError.self) { try await pool.exchange([take(3), take(30)]) }
            // Nothing of it was done, and the connection goes on.
            #expect(try await sums(pool) == [7, 0])
            #expect(try await pool.exchange([take(7)]).first?.affectedRows == 1)
        }
    }

    @Test func aSetOfAwkwardTextsArrivesAsItWasSent() async throws {
        try await withDatabase(migrated: false) { (pool: PostgresPool) async throws in
            let texts: [String?] = [
                "", "NULL", nil, "a,b", "{}", "\"", "\\", "\\\"", "é\u{1F3CF}", " x ", "line\nline",
            ]
            let rows = try await pool.query("SELECT unnest($1::text[]) AS text", [.textArray(texts)])
            #expect(try rows.map { try $0.optionalString("text") } == texts)
            await #expect(throws: PostgresError.self) {
                try await pool.query("SELECT $1::text[]", [.textArray(["a", "b\0c"])])
            }
            let numbers = try await pool.query(
                "SELECT unnest($1::float8[]) AS real, unnest($2::bool[]) AS truth",
                [.doubleArray([1.5, nil, -.infinity]), .boolArray([true, false, nil])])
            #expect(try numbers.map { try $0.optionalDouble("real") } == [1.5, nil, -.infinity])
            #expect(try numbers.map { try $0.optionalBool("truth") } == [true, false, nil])
        }
    }
}
