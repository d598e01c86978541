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

    private func rows(_ ground: Ground) async throws -> Int {
        var rows = 0
        for table in ["devices", "match_follows", "live_activities"] {
            rows += try await ground.pool.query("SELECT 1 FROM \(table) WHERE user_id = 'asha'").count
        }
        return rows
    }

    /// As if it had been deleted some seconds sooner.
    private func letPass(_ ground: Ground) async throws {
        for change in [
            "deleted_users SET deleted_at = deleted_at", "devices SET last_seen_at = last_seen_at",
            "live_activities SET created_at = created_at - interval '10 seconds', ended_at = ended_at",
        ] {
            try await ground.pool.execute("UPDATE \(change) - interval '10 seconds' WHERE user_id = 'asha'")
        }
    }

    @Test func aDeletedAccountsActivityEndsAndItsRowsGoOnlyWhenTheEndIsOut() async throws {
        try await Ground.with { (ground: Ground) async throws in
            let orchestrator = OrchestratorStore(pool: ground.pool)
            let lease = try #require(
                try await LeaseStore(pool: ground.pool).acquire(
                    [.orchestrator], holder: "test/1", duration: .seconds(600)
                ).first)
            try await ground.coordinate { coordinator in
                for user in ["asha", "ben"] { try await ground.join(user) }
                // APNs takes no end for a while.
                await ground.apns.answer { push, _ in
                    push.event == "end" ? .reset(.refusedStream) : StubAPNs.accepted
                }
                let deletion = try await AccountStore(pool: ground.pool).delete(Self.asha, tokenIssuedAt: 0)
                #expect(deletion.changedMatches == [Ground.match])
                coordinator.activitiesChanged()
                try await eventually("an end was tried") {
                    await ground.updates("asha").contains { $0.event == "end" }
                }
                try await letPass(ground)
                _ = try await orchestrator.eraseDeletedUsers(under: lease)
                #expect(try await ground.status("asha") == "ended user_unfollow due")

                await ground.apns.answer { _, _ in StubAPNs.accepted }
                try await eventually("the end is noted") { try await ground.status("asha").hasSuffix(" sent") }
                _ = try await orchestrator.eraseDeletedUsers(under: lease)
                #expect(try await rows(ground) == 0)

                let update = try await ground.commit(alert: .wicket)
                await coordinator.matchUpdated(MatchUpdated(update: update))
                try await eventually("the other follower sees the wicket") {
                    await ground.updates("ben").last?.version == update.version.rawValue
                }
            }
            let updates = await ground.updates("asha")
            #expect(updates.first?.event == "update" && updates.dropFirst().allSatisfy { $0.event == "end" })
        }
    }
}
