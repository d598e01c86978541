import LACoordinator
import Messages
import Metrics
import Postgres
import ServiceKit
import SightscreenModels
import TestKit
import Testing

/// What the loops know beside what the table has.
@Suite struct AuditTests {
    private static let mismatch = "is not as the table has it"

    @Test func whatWasLostBetweenTheTableAndTheLoopsIsFound() async throws {
        try await Harness.with { harness in
            let lines = LogLines()
            try await harness.crowd(40)
            try await harness.coordinate(timing: .init(auditInterval: .milliseconds(50)), logger: lines.logger) {
                coordinator in
                try await eventually("they are taken in") { await coordinator.phones() == 40 }
                // No reader of changes hears of either.
                try await harness.pool.execute("DELETE FROM live_activities WHERE user_id = 'user7'")
                try await eventually("the one that is gone is found") { await coordinator.phones() == 39 }
                try await harness.pool.execute("ALTER TABLE live_activities DISABLE TRIGGER USER")
                try await harness.pool.execute(
                    """
                    INSERT INTO live_activities
                        (match_id, user_id, device_id, generation, route, shard, status, update_token, token_at, changed_xid)
                    SELECT match_id, 'new', device_id, generation, route, shard, status, 'abcd', token_at, '3'::xid8
                    FROM live_activities WHERE user_id = 'user8'
                    """)
                try await eventually("the one that is new is found") { await coordinator.phones() == 40 }
                await coordinator.matchUpdated(MatchUpdated(update: try await harness.commit()))
                try await eventually("it gets the next version") {
                    await harness.apns.pushes(to: "abcd").last?.version == 2
                }
            }
            #expect(lines.count(Self.mismatch) == 2)
        }
    }

    @Test func theyComeAsOftenAsIsSetAndAreCounted() async throws {
        let registry = PrometheusRegistry()
        try await Harness.with { harness in
            try await harness.crowd(3)
            try await withMetricsFactory(registry) {
                try await harness.coordinate(settings: ["AUDIT_INTERVAL": "1s"]) { _ in
                    try await eventually("some have come to their end") {
                        let text = registry.text()
                        return text.contains("sightscreen_audits_total ")
                            && (0...1).allSatisfy { !text.contains("sightscreen_audits_total \($0)\n") }
                    }
                }
            }
        }
    }

    @Test func nothingIsFoundWhileTokensComeAndGo() async throws {
        try await Harness.with { harness in
            let lines = LogLines()
            try await harness.crowd(100)
            try await harness.coordinate(timing: .init(auditInterval: .milliseconds(10)), logger: lines.logger) {
                coordinator in
                try await eventually("they are taken in") { await coordinator.phones() == 100 }
                for round in 0..<200 {
                    let user = "user\(Int.random(in: 0..<100))"
                    if round.isMultiple(of: 5) {
                        try await harness.pool.execute(
                            """
                            UPDATE live_activities SET status = 'ended', end_reason = 'user_dismissed', ended_at = now()
                            WHERE user_id = $1
                            """, [.text(user)])
                    } else {
                        try await harness.pool.execute(
                            """
                            UPDATE live_activities SET update_token = $2, token_at = clock_timestamp()
                            WHERE user_id = $1 AND status = 'active'
                            """, [.text(user), .text("ee\(round + 10)")])
                    }
                    coordinator.activitiesChanged()
                }
            }
            #expect(lines.count(Self.mismatch) == 0)
            #expect(lines.count("could not be audited") == 0)
        }
    }
}
