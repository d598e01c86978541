import Postgres
import TestKit
import Testing

/// A pgbouncer between us and PostgreSQL. `deploy/test` unpacks one.
@Suite(.enabled(if: Pooler.isThere, "there is no pgbouncer: deploy/test unpacks one")) struct PoolerTests {
    @Test(arguments: ["transaction", "statement"]) func aPoolerThatSharesSessionsIsRefused(_ mode: String) async throws
    {
        try await Pooler.run(mode) { url in
            let pool = try PostgresPool(url: url, applicationName: "tests")
            let error = await #expect(throws: PostgresError.self) { try await pool.checkSessions() }
            #expect(error?.code == .configuration, "\(String(describing: error))")
            #expect(error?.message.contains("pool_mode=session") == true, "\(String(describing: error))")
            await pool.close()
        }
    }

    /// Others use the pooler at the same time, so that it hands its sessions out in another order.
    @Test func itIsFoundOutInTheMidstOfTraffic() async throws {
        try await Pooler.run("transaction") { url in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<8 {
                    group.addTask {
                        let other = try PostgresPool(url: url, applicationName: "other")
                        while !Task.isCancelled { _ = try? await other.query("SELECT \(Int.random(in: 0...1000))") }
                        await other.close()
                    }
                }
                let pool = try PostgresPool(url: url, applicationName: "tests")
                for _ in 0..<10 {
                    let error = await #expect(throws: PostgresError.self) { try await pool.checkSessions() }
                    #expect(error?.code == .configuration, "\(String(describing: error))")
                }
                await pool.close()
                group.cancelAll()
            }
        }
    }

    @Test func behindSessionsOfOurOwnEverythingWorks() async throws {
        try await Pooler.run("session") { url in
            for _ in 0..<2 {
                // The second time with sessions that were used before.
                let pool = try PostgresPool(url: url, applicationName: "tests")
                try await pool.checkSessions()
                for (name, value) in [
                    ("statement_timeout", "5s"), ("lock_timeout", "2s"), ("idle_in_transaction_session_timeout", "5s"),
                    ("TimeZone", "UTC"), ("client_min_messages", "warning"), ("jit", "off"),
                ] {
                    let setting = "SELECT current_setting('\(name)') AS value"
                    #expect(try await pool.query(setting).first?.string("value") == value, "\(name)")
                    let leased = try await pool.transaction { try await $0.query(setting).first?.string("value") }
                    #expect(leased == value, "\(name)")
                }
                var heard = pool.listen(["news"]).makeAsyncIterator()
                #expect(await heard.next() == .reconnected)
                try await pool.execute("NOTIFY news")
                #expect(await heard.next() == .notified(channel: "news", payload: ""))
                await pool.close()
            }
        }
    }

    /// A pooler keeps sessions, and what it tells libpq about them, from the time before.
    @Test func sessionsOfAReadOnlySpellDoNotComeBack() async throws {
        let admin = try PostgresPool(
            url: try await PrivatePostgres.shared.makeDatabase(migrated: false), applicationName: "admin")
        try await Pooler.run("session") { url in
            let pool = try PostgresPool(url: url, applicationName: "tests")
            try await pool.execute("CREATE TABLE t (id int)")
            let name = try #require(
                try await pool.query("SELECT current_database() AS name").first?.string("name"))
            try await admin.execute("ALTER DATABASE \(name) SET default_transaction_read_only = on")
            try await admin.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '\(name)'")
            try await eventually("it is refused") {
                _ = try? await pool.query("SELECT 1", deadline: .milliseconds(100))
                return await pool.refusal != nil
            }
            try await admin.execute("ALTER DATABASE \(name) RESET default_transaction_read_only")
            try await eventually("it has a session that can write") { await pool.refusal == nil }
            try await pool.execute("INSERT INTO t VALUES (1)")
            await pool.close()
        }
        await admin.close()
    }
}
