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
            await pool.close()
            try await eventually("no connection is left") {
                has(#"sightscreen_database_connections{state="shared"} 0"#)
                    && has(#"sightscreen_database_connections{state="leased"} 0"#)
                    && has(#"sightscreen_database_connections{state="opening"} 0"#)
            }
        }
    }
}
