import Logging
import Metrics
import Postgres
import ServiceKit
import SightscreenModels
import TestKit
import Testing

@testable import Store

@Suite struct LeaseMetricsTests {
    @Test func heldAcquiredLostAndReleasedLeasesAreCountedByKind() async throws {
        let registry = PrometheusRegistry()
        func has(_ line: String) -> Bool { registry.text().contains("\(line)\n") }
        try await withDatabase { (pool: PostgresPool) async throws in
            try await withMetricsFactory(registry) {
                let store = LeaseStore(pool: pool)
                let keeper = LeaseKeeper(store: store, instance: "a", logger: LogLines().logger)
                let matches = (1...3).map { LeaseName.match(MatchID(Int64($0))) }
                await keeper.want([.orchestrator])
                #expect(has(#"sightscreen_leases_held{kind="orchestrator"} 0"#), "it shows before it is held")
                for match in matches { _ = try await keeper.acquireNow(match) }
                #expect(has(#"sightscreen_leases_held{kind="match"} 3"#))
                #expect(has(#"sightscreen_leases_acquired_total{kind="match"} 3"#))
                await keeper.forget([matches[0]])
                #expect(has(#"sightscreen_leases_held{kind="match"} 2"#))
                #expect(has(#"sightscreen_leases_released_total{kind="match"} 1"#))
                // Another process takes one that we failed to renew.
                try await pool.execute(
                    "UPDATE leases SET holder = 'b/1', epoch = epoch + 1 WHERE name = $1", [.text("\(matches[1])")])
                let running = Task { await keeper.run() }
                try await eventually("the loss is noticed") { has(#"sightscreen_leases_lost_total{kind="match"} 1"#) }
                #expect(has(#"sightscreen_leases_held{kind="match"} 1"#))
                #expect(has(#"sightscreen_leases_held{kind="orchestrator"} 1"#))
                running.cancel()
                await running.value
                #expect(has(#"sightscreen_leases_held{kind="match"} 0"#), "the end lets go of all")
            }
        }
    }
}
