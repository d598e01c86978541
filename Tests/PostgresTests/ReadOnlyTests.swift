import TestKit
import Testing

@testable import Postgres

/// A database that cannot be written to for a while: a full disk, a failover, an address that leads to a standby.
@Suite struct ReadOnlyTests {
    private func write(_ pool: PostgresPool) async throws { try await pool.execute("INSERT INTO t VALUES (1)") }

    /// What a host does whose disk is full: new sessions are read-only, and the old ones are ended.
    @Test func sessionsOfAReadOnlySpellAreRefusedAndThenForgotten() async throws {
        let admin = try PostgresPool(
            url: try await PrivatePostgres.shared.makeDatabase(migrated: false), applicationName: "admin")
        try await withDatabase(migrated: false) { pool in
            try await pool.execute("CREATE TABLE t (id int)")
            let name = try #require(
                try await pool.query("SELECT current_database() AS name").first?.string("name"))
            var heard = pool.listen(["news"]).makeAsyncIterator()
            #expect(await heard.next() == .reconnected)

            try await admin.execute("ALTER DATABASE \(name) SET default_transaction_read_only = on")
            try await admin.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '\(name)'")
            try await eventually("it is refused, with the reason") {
                _ = try? await pool.query("SELECT 1", deadline: .milliseconds(100))
                return await pool.refusal?.rule?.notReady == "PostgreSQL is read-only"
            }
            let error = await #expect(throws: PostgresError.self) {
                try await pool.execute("INSERT INTO t VALUES (1)", deadline: .milliseconds(300))
            }
            #expect(error?.code == .unavailable && error?.sqlState == "25006", "nothing was sent")
            #expect(error?.message.contains("default_transaction_read_only is on") == true)

            try await admin.execute("ALTER DATABASE \(name) SET default_transaction_read_only = off")
            // The pool tries by itself, without a caller that asks for a connection.
            try await eventually("it has a session that can write") { await pool.refusal == nil }
            try await write(pool)
            #expect(await heard.next() == .reconnected)
            try await pool.execute("NOTIFY news")
            #expect(await heard.next() == .notified(channel: "news", payload: ""))
        }
        await admin.close()
    }

    private static let insert = PostgresStatement("INSERT INTO t VALUES (1)")
    private static let ways:
        [(name: String, isTransaction: Bool, write: @Sendable (PostgresPool) async throws -> Void)] =
            [
                ("a statement", false, { try await $0.execute(insert.sql) }),
                ("a transaction", true, { _ = try await $0.transaction { try await $0.execute(insert.sql) } }),
                ("one round trip", true, { _ = try await $0.exchange([insert]) }),
                ("two round trips", true, { _ = try await $0.exchange(reading: []) { _ in ([insert], ()) } }),
            ]

    @Test func aConnectionThatTurnsOutToBeReadOnlyIsReplaced() async throws {
        for (name, isTransaction, write) in Self.ways {
            try await withDatabase(migrated: false, size: 2) { (pool: PostgresPool) async throws in
                try await pool.execute("CREATE TABLE t (id int)")
                let poison = "SET default_transaction_read_only = on"
                if isTransaction {
                    try await pool.transaction { _ = try await $0.execute(poison) }
                } else {
                    try await pool.execute(poison)
                }
                let error = await #expect(throws: PostgresError.self, "\(name)") { try await write(pool) }
                #expect(error?.sqlState == "25006", "\(name)")
                try await write(pool)
                try await eventually("it has a session that can write") { await pool.refusal == nil }
            }
        }
    }

    @Test func answersThatAreUnderWayArriveBeforeTheConnectionIsClosed() async throws {
        try await withDatabase(migrated: false) { pool in
            try await pool.execute("CREATE TABLE t (id int)")
            try await pool.execute("SET default_transaction_read_only = on")
            let refused = Task {
                try await pool.execute("DO $$ BEGIN PERFORM pg_sleep(0.3); INSERT INTO t VALUES (1); END $$")
            }
            try await Task.sleep(for: .milliseconds(100))
            #expect(try await pool.query("SELECT pg_sleep(0.1)").count == 1)
            await #expect(throws: PostgresError.self) { _ = try await refused.value }
        }
    }

    @Test func anAddressThatLeadsToAStandbyIsWaitedOut() async throws {
        let server = PrivatePostgres()
        let url = try await server.makeDatabase(migrated: false)
        let pool = try PostgresPool(url: url, applicationName: "tests")
        try await pool.execute("CREATE TABLE t (id int)")
        await server.stop()
        try await server.start(asStandby: true)
        let error = await #expect(throws: PostgresError.self) {
            try await pool.execute("INSERT INTO t VALUES (1)", deadline: .seconds(1))
        }
        #expect(error?.sqlState == "25006")
        #expect(error?.message.contains("standby") == true, "\(String(describing: error))")
        // Who only reads may.
        let reader = try PostgresPool(url: url, applicationName: "reader", needsWriting: false)
        #expect(try await reader.query("SELECT 1 FROM t").isEmpty)
        _ = try await reader.query("SELECT pg_promote(wait => false)")
        try await eventually("it has a session that can write") { await pool.refusal == nil }
        try await write(pool)
        await pool.close()
        await reader.close()
        await server.stop(immediately: true)
    }

    @Test(.timeLimit(.minutes(1))) func amongSeveralHostsTheOneThatCanWriteIsFound() async throws {
        let standby = PrivatePostgres()
        let standbyURL = try await standby.makeDatabase(migrated: false)
        await standby.stop()
        try await standby.start(asStandby: true)
        // It takes connections and says nothing, as a host behind a broken network.
        let mute = try Tool.listen()
        defer { mute.close() }
        func folder(_ url: String) throws -> String { try #require(url.split(separator: "=").last.map(String.init)) }
        let hosts = [
            ("/nonexistent", 5432), ("127.0.0.1", mute.port), (String(repeating: "x", count: 70), 5432),
            (try folder(standbyURL), 5432),
            (try folder(try await PrivatePostgres.shared.makeDatabase(migrated: false)), 5432),
        ]
        let names = hosts.map(\.0).joined(separator: ",")
        let ports = hosts.map { "\($0.1)" }.joined(separator: ",")
        let pool = try PostgresPool(
            url: "postgresql://sightscreen@/postgres?host=\(names)&port=\(ports)", applicationName: "tests",
            standIns: true)
        let row = try await pool.query("SELECT pg_is_in_recovery() AS is_standby", deadline: .seconds(30)).first
        #expect(try row?.bool("is_standby") == false)
        var heard = pool.listen(["several_hosts"]).makeAsyncIterator()
        #expect(await heard.next() == .reconnected)
        try await pool.execute("NOTIFY several_hosts", deadline: .seconds(30))
        #expect(await heard.next() == .notified(channel: "several_hosts", payload: ""))
        await pool.close()
        await standby.stop(immediately: true)
    }

    @Test(arguments: [
        ("a", "5433", ["a 5433"]), ("a,b", nil, ["a 5432", "b 5432"]), ("a,b", "5433", ["a 5433", "b 5433"]),
        ("a,b", "5433,", ["a 5433", "b 5432"]), ("a,b", ",5433", ["a 5432", "b 5433"]),
    ])
    func eachHostHasItsPort(_ names: String, _ ports: String?, _ hosts: [String]) {
        let list = PostgresHost.list(names: names, addresses: nil, ports: ports)
        #expect(list.map { "\($0.name) \($0.port)" } == hosts)
    }

    @Test(arguments: ["standby", "read-only", "prefer-standby"])
    func aURLThatAsksForAServerThatCannotWriteIsRefused(_ attributes: String) throws {
        let url = "postgresql://u@localhost/x?target_session_attrs=\(attributes)"
        let error = #expect(throws: PostgresError.self) { try PostgresPool.check(url: url) }
        #expect(error?.code == .configuration)
        #expect(error?.message.contains("target_session_attrs=\(attributes)") == true)
        try PostgresPool.check(url: url, needsWriting: false)
    }

    @Test(arguments: ["any", "primary", "read-write"])
    func aURLThatAsksForOneThatCanIsTaken(_ attributes: String) throws {
        try PostgresPool.check(url: "postgresql://u@localhost/x?target_session_attrs=\(attributes)")
    }
}
