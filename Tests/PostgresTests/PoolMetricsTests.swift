import Metrics
import Postgres
import ServiceKit
import TestKit
import Testing

@Suite struct PoolMetricsTests {
    @Test func connectionsWaitsQueriesAndFailuresAreCounted() async throws {
        let registry = PrometheusRegistry()
        func has(_ line: String) -> Bool { registry.text().contains("\(line)\n") }
        let url = try await PrivatePostgres.shared.makeDatabase()
        try await withMetricsFactory(registry) {
            let pool = try PostgresPool(url: url, size: 2, applicationName: "metrics")
            #expect(has("sightscreen_database_waiting 0"), "it shows before it happens")
            _ = try await pool.query("SELECT 1")
            #expect(has(#"sightscreen_database_connections{state="shared"} 1"#), "\(registry.text())")
            #expect(has("sightscreen_database_wait_seconds_count 1"), "the first query waits for a connection")
            try await pool.transaction { transaction in
                _ = try await transaction.query("SELECT 1")
                #expect(has(#"sightscreen_database_connections{state="leased"} 1"#))
                // The only connection for transactions is taken.
                let other = Task { try await pool.transaction { _ in } }
                try await eventually("the other one waits") { has("sightscreen_database_waiting 1") }
                other.cancel()
                _ = await other.result
            }
            #expect(has("sightscreen_database_waiting 0"))
            await #expect(throws: PostgresError.self) { _ = try await pool.query("SELECT 1 / 0") }
            #expect(has(#"sightscreen_database_failures_total{code="server"} 1"#), "\(registry.text())")
            // Each has an advice of its own, and shows before it happens.
            for (label, state) in [("diskFull", "53100"), ("readOnly", "25006"), ("tooManyConnections", "53300")] {
                #expect(has(#"sightscreen_database_failures_total{code="\#(label)"} 0"#), "\(registry.text())")
                _ = try? await pool.execute("DO $$ BEGIN RAISE 'on purpose' USING ERRCODE = '\(state)'; END $$")
                #expect(has(#"sightscreen_database_failures_total{code="\#(label)"} 1"#), "\(registry.text())")
            }
            #expect(has(#"sightscreen_database_failures_total{code="server"} 1"#), "\(registry.text())")
            await pool.close()
            try await eventually("no connection is left") {
                has(#"sightscreen_database_connections{state="shared"} 0"#)
                    && has(#"sightscreen_database_connections{state="leased"} 0"#)
                    && has(#"sightscreen_database_connections{state="opening"} 0"#)
            }
        }
    }

    @Test func aServerWithoutAConnectionLeftIsNamed() async throws {
        let registry = PrometheusRegistry()
        let server = PrivatePostgres(settings: [
            "max_connections": "6", "superuser_reserved_connections": "0", "max_wal_senders": "0",
        ])
        let url = try await server.makeDatabase(migrated: false)
        try await withMetricsFactory(registry) {
            let full = try PostgresPool(url: url, applicationName: "full")
            let late = try PostgresPool(url: url, applicationName: "late")
            func take(_ count: Int, _ then: () async throws -> Void) async throws {
                guard count > 0 else { return try await then() }
                try await full.withConnection { _ in try await take(count - 1, then) }
            }
            // It has one connection of each kind.
            let working = try PostgresPool(url: url, size: 3, applicationName: "working")
            _ = try await working.query("SELECT 1")
            try await working.transaction { _ in }
            try await take(4) {
                let error = await #expect(throws: PostgresError.self) {
                    _ = try await late.query("SELECT 1", deadline: .milliseconds(500))
                }
                #expect(error?.sqlState == "53300", "\(String(describing: error))")
                #expect(await late.refusal?.rule?.notReady == "PostgreSQL has no connection left")
                #expect(
                    registry.text().contains(#"sightscreen_database_failures_total{code="tooManyConnections"} 1"#))
                try await working.transaction { _ in
                    let error = await #expect(throws: PostgresError.self) {
                        _ = try await working.exchange([], deadline: .milliseconds(500))
                    }
                    #expect(error?.sqlState == "53300", "\(String(describing: error))")
                    #expect(await working.refusal == nil, "it works with those that it has")
                }
            }
            try await eventually("there is one again") { await late.refusal == nil }
            for pool in [full, late, working] { await pool.close() }
        }
        await server.stop(immediately: true)
    }
}
