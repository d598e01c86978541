import MatchOrchestrator
import APIGateway
import HTTP2
import Messages
import Postgres
import SightscreenModels
import Store
import TestKit
import Testing

@testable import FanOut
@testable import LACoordinator

@Suite struct DeletionTests {
    private static let asha = UserID("asha")

    private func rows(_ harness: Harness) async throws -> Int {
        var rows = 0
        for table in ["devices", "match_follows", "live_activities"] {
            rows += try await harness.pool.query("SELECT 1 FROM \(table) WHERE user_id = 'asha'").count
        }
        return rows
    }

    /// As if it had been deleted some seconds sooner.
    private func letPass(_ harness: Harness) async throws {
        for change in [
            "deleted_users SET deleted_at = deleted_at", "devices SET last_seen_at = last_seen_at",
            "live_activities SET created_at = created_at - interval '10 seconds', ended_at = ended_at",
        ] {
            try await harness.pool.execute("UPDATE \(change) - interval '10 seconds' WHERE user_id = 'asha'")
        }
    }

    @Test func aDeletedAccountsActivityEndsAndItsRowsGoOnlyWhenTheEndIsOut() async throws {
        try await Harness.with { (harness: Harness) async throws in
            let orchestrator = OrchestratorStore(pool: harness.pool)
            let lease = try #require(
                try await LeaseStore(pool: harness.pool).acquire(
                    [.orchestrator], holder: "test/1", duration: .seconds(600)
                ).first)
            try await harness.coordinate { coordinator in
                for user in ["asha", "ben"] { try await harness.join(user) }
                // APNs takes no end for a while.
                await harness.apns.answer { push, _ in
                    push.event == "end" ? .reset(.refusedStream) : StubAPNs.accepted
                }
                let deletion = try await AccountStore(pool: harness.pool).delete(Self.asha, tokenIssuedAt: 0)
                #expect(deletion.changedMatches == [Harness.match])
                coordinator.activitiesChanged()
                try await eventually("an end was tried") {
                    await harness.updates("asha").contains { $0.event == "end" }
                }
                try await letPass(harness)
                _ = try await orchestrator.eraseDeletedUsers(under: lease)
                #expect(try await harness.status("asha") == "ended user_unfollow due")

                await harness.apns.answer { _, _ in StubAPNs.accepted }
                try await eventually("the end is noted") { try await harness.status("asha").hasSuffix(" sent") }
                _ = try await orchestrator.eraseDeletedUsers(under: lease)
                #expect(try await rows(harness) == 0)

                let update = try await harness.commit(alert: .wicket)
                await coordinator.matchUpdated(MatchUpdated(update: update))
                try await eventually("the other follower sees the wicket") {
                    await harness.updates("ben").last?.version == update.version.rawValue
                }
            }
            let updates = await harness.updates("asha")
            #expect(updates.first?.event == "update" && updates.dropFirst().allSatisfy { $0.event == "end" })
        }
    }
}
