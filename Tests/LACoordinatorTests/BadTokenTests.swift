import Activities
import Postgres
import SightscreenModels
import TestKit
import Testing

@testable import Store
@testable import APIGateway
@testable import FanOut
@testable import LACoordinator
@testable import MatchOrchestrator

/// Tokens that APNs has taken a push to, and accounts with tokens that it calls bad.
@Suite struct BadTokenTests {
    private static let ann = UserID("ann"), phone = DeviceID("phone")

    private struct Harness {
        var pool: PostgresPool
        var activities: ActivityStore { ActivityStore(pool: pool) }
        var accounts: AccountStore { AccountStore(pool: pool) }

        func register(device token: String) async throws {
            _ = try await DeviceStore(pool: pool).register(
                DeviceRegistration(deviceId: phone), token: .set(DeviceToken(token)), user: ann)
        }

        func register(start token: String) async throws {
            _ = try await DeviceStore(pool: pool).register(
                PushToStartRegistration(pushToStartToken: PushToStartToken(token), deviceId: phone), user: ann)
        }

        func prove(start: String, device: String) async throws {
            try await activities.prove([
                .start(PushToStartToken(start), ann, phone), .device(DeviceToken(device), ann, phone),
            ])
        }

        func proven() async throws -> [Bool] {
            let row = try await pool.query(
                """
                SELECT start_token_proven_at IS NOT NULL AS start, device_token_proven_at IS NOT NULL AS device FROM devices
                """)[0]
            return [try row.bool("start"), try row.bool("device")]
        }

        func provenAt() async throws -> String {
            try await pool.query("SELECT concat(start_token_proven_at, device_token_proven_at) AS at FROM devices")[0]
                .string("at")
        }

        /// Activities of so many matches, whose tokens APNs calls bad.
        func retire(_ matches: ClosedRange<Int>, isBad: Bool = true, of user: UserID = ann) async throws {
            var dead: [DeadToken] = []
            for match in matches {
                try await pool.execute(
                    """
                    INSERT INTO live_activities
                        (match_id, user_id, device_id, generation, route, shard, status, update_token, token_at)
                    VALUES ($1, $2, 'phone', 1, 0, 0, 'active', $3, to_timestamp(1000))
                    """, [.int(match), .text(user.rawValue), .text("\(user)-\(match)")])
                dead.append(
                    .init(
                        match: MatchID(Int64(match)), token: UpdateToken("\(user)-\(match)"), tokenAt: 1_000,
                        isBad: isBad))
            }
            try await activities.retire(dead)
        }
    }

    private func with(_ body: (Harness) async throws -> Void) async throws {
        try await withDatabase(size: 3) { (pool: PostgresPool) async throws in try await body(Harness(pool: pool)) }
    }

    @Test func aTokenIsProvenOnceAndItsSuccessorIsNot() async throws {
        try await with { harness in
            try await harness.register(device: "d1")
            try await harness.register(start: "s1")
            #expect(try await harness.proven() == [false, false])
            try await harness.prove(start: "another", device: "another")
            #expect(try await harness.proven() == [false, false])
            try await harness.prove(start: "s1", device: "d1")
            let at = try await harness.provenAt()
            // Again, and registered again.
            try await harness.prove(start: "s1", device: "d1")
            try await harness.register(device: "d1")
            try await harness.register(start: "s1")
            #expect(try await harness.proven() == [true, true])
            #expect(try await harness.provenAt() == at)
            try await harness.register(start: "s2")
            #expect(try await harness.proven() == [false, true])
            try await harness.register(device: "d2")
            #expect(try await harness.proven() == [false, false])
            // One that came too late proves nothing of the one that stays, and takes nothing from it.
            try await harness.prove(start: "s2", device: "d2")
            try await harness.register(start: "s1")
            #expect(try await harness.proven() == [true, true])
        }
    }

    @Test func whatOneHostTookProvesNothingToTheOther() async throws {
        try await with { harness in
            try await harness.register(device: "d1")
            try await harness.register(start: "s1")
            try await harness.prove(start: "s1", device: "d1")
            for (environment, isProven) in [(APNsEnvironment.production, true), (.sandbox, false)] {
                _ = try await DeviceStore(pool: harness.pool).register(
                    DeviceRegistration(deviceId: Self.phone, environment: environment), token: .keep, user: Self.ann)
                #expect(try await harness.proven() == [isProven, isProven])
            }
        }
    }

    @Test func twentyBadTokensInAnHourBlockAnAccountForTheRestOfIt() async throws {
        try await with { harness in
            try await harness.retire(1...19)
            // Those of a phone that has gone (410) do not count, nor do another's.
            try await harness.retire(20...30, isBad: false)
            try await harness.retire(20...30, of: UserID("bob"))
            #expect(try await harness.accounts.blockedForBadTokens().isEmpty)
            try await harness.retire(31...31)
            let wait = try #require(try await harness.accounts.blockedForBadTokens()[Self.ann])
            #expect((3_500...3_600).contains(wait))
            // Deleted and made anew it is the same account.
            _ = try await harness.accounts.delete(Self.ann, tokenIssuedAt: 0)
            #expect(try await harness.accounts.blockedForBadTokens()[Self.ann] != nil)
            try await harness.pool.execute("UPDATE bad_tokens SET since = since - interval '1 hour'")
            #expect(try await harness.accounts.blockedForBadTokens().isEmpty)
            // Another hour begins.
            try await harness.retire(32...32)
            #expect(try await harness.accounts.blockedForBadTokens().isEmpty)
            #expect(
                try await harness.pool.query("SELECT FROM bad_tokens WHERE user_id = 'ann' AND count = 1").count == 1)
        }
    }

    /// An account that only ever gets ends: it registers invented tokens of matches that have not begun, each in place of
    /// the last.
    @Test func theRejectedTokenOfAnEndCountsThoughAnotherHasItsPlace() async throws {
        try await with { harness in
            let tokens = (1...20).map { EndedToken(user: Self.ann, token: UpdateToken("t\($0)")) }
            try await harness.pool.execute(
                """
                INSERT INTO live_activities
                    (match_id, user_id, device_id, generation, route, shard, status, end_reason, update_token, end_push)
                VALUES (1, 'ann', 'phone', 1, 0, 0, 'ended', 'user_unfollow', 't20', 'due'),
                    (2, 'ann', 'phone', 1, 0, 0, 'ended', 'user_unfollow', 't21', 'due')
                """)
            try await harness.activities.reject(Array(tokens.prefix(19)))
            try await harness.activities.reject([EndedToken(user: UserID("bob"), token: UpdateToken("b"))])
            #expect(try await harness.accounts.blockedForBadTokens().isEmpty)
            try await harness.activities.reject(Array(tokens.suffix(1)))
            #expect(try await harness.accounts.blockedForBadTokens().keys.map(\.rawValue) == ["ann"])
            let owed = try await harness.pool.query("SELECT end_push FROM live_activities ORDER BY match_id")
                .map { try $0.string("end_push") }
            #expect(owed == ["dropped", "due"])
        }
    }

    @Test func whatIsCountedGoesAfterAnHour() async throws {
        try await with { harness in
            try await harness.retire(1...2)
            try await harness.retire(1...2, of: UserID("bob"))
            try await harness.pool.execute(
                "UPDATE bad_tokens SET since = since - interval '61 minutes' WHERE user_id = 'ann'")
            let held = try await LeaseStore(pool: harness.pool).acquire(
                [.orchestrator], holder: "test/1", duration: .seconds(60))
            try await OrchestratorStore(pool: harness.pool).purge(
                after: .seconds(3_600), under: try #require(held.first))
            #expect(
                try await harness.pool.query("SELECT user_id FROM bad_tokens").map { try $0.string("user_id") } == [
                    "bob"
                ])
        }
    }
}
