import Metrics
import Postgres
import ServiceKit
import SightscreenModels
import TestKit
import Testing

@testable import Store
@testable import APIGateway

/// What a push token takes along when another phone registers it, or another user whose predecessor was not seen for a
/// week; and when it comes too late. `PossessionTests` has those whose owner is there.
@Suite struct TokenMoveTests {
    private static let ann = UserID("ann"), bob = UserID("bob")
    private static let phone = DeviceID("phone")

    private static func registerPhone(
        _ user: UserID, _ token: String, device: DeviceID = phone, _ pool: PostgresPool
    ) async throws {
        _ = try await DeviceStore(pool: pool).register(
            DeviceRegistration(deviceId: device), token: .set(DeviceToken(token)), user: user)
    }

    private static func registerStart(
        _ user: UserID, _ token: String, device: DeviceID = phone, _ pool: PostgresPool
    ) async throws {
        _ = try await DeviceStore(pool: pool).register(
            PushToStartRegistration(pushToStartToken: PushToStartToken(token), deviceId: device), user: user)
    }

    private static func devices(_ pool: PostgresPool) async throws -> [String] {
        try await pool.query(
            """
            SELECT concat_ws(' ', user_id, device_id, coalesce(device_token, '-'), coalesce(push_to_start_token, '-'))
                AS line
            FROM devices ORDER BY 1
            """
        ).map { try $0.string("line") }
    }

    private static func activities(_ pool: PostgresPool) async throws -> [String] {
        try await pool.query(
            """
            SELECT concat_ws(' ', user_id, generation, status, update_token, end_push) AS line
            FROM live_activities ORDER BY 1
            """
        ).map { try $0.string("line") }
    }

    /// Ann's phone with both tokens, and a card of a match in play.
    private static func seed(_ pool: PostgresPool) async throws {
        try await pool.execute(
            """
            INSERT INTO active_matches (match_id, display_state, version, stamp, went_live_at)
            VALUES (1, 'live', 7, 1000, now())
            """)
        try await registerPhone(ann, "d1", pool)
        try await registerStart(ann, "s1", pool)
        _ = try await FollowStore(pool: pool).follow(FollowRequest(matchId: MatchID(1)), user: ann)
        _ = try await ActivityTokenStore(pool: pool).register(
            ActivityTokenRequest(activityToken: UpdateToken("u1"), deviceId: phone), match: MatchID(1), user: ann)
    }

    /// Whoever registers a token of such a user's has it.
    private static func unseenForAWeek(_ user: UserID, _ pool: PostgresPool) async throws {
        try await pool.execute(
            "UPDATE devices SET last_seen_at = now() - interval '7 days' WHERE user_id = $1", [.text(user.rawValue)])
    }

    @Test func onlyTheStartTokenThatMovedIsTaken() async throws {
        try await withDatabase(size: 3) { (pool: PostgresPool) async throws in
            try await Self.seed(pool)
            try await Self.registerStart(Self.bob, "s1", pool)
            #expect(try await Self.devices(pool) == ["ann phone d1 s1", "bob phone - -"])
            try await Self.unseenForAWeek(Self.ann, pool)
            try await Self.registerStart(Self.bob, "s1", pool)
            #expect(try await Self.devices(pool) == ["ann phone d1 -", "bob phone - s1"])
            #expect(try await Self.activities(pool) == ["ann 1 active u1 none"])
        }
    }

    @Test func onlyTheDeviceTokenThatMovedIsTaken() async throws {
        try await withDatabase(size: 3) { (pool: PostgresPool) async throws in
            try await Self.seed(pool)
            try await Self.registerPhone(Self.bob, "d1", pool)
            #expect(try await Self.devices(pool) == ["ann phone d1 s1", "bob phone - -"])
            try await Self.unseenForAWeek(Self.ann, pool)
            try await Self.registerPhone(Self.bob, "d1", pool)
            #expect(try await Self.devices(pool) == ["ann phone - s1", "bob phone d1 -"])
            #expect(try await Self.activities(pool) == ["ann 1 active u1 none"])
        }
    }

    @Test func movesBetweenUsersAreCountedAndThoseBetweenAUsersPhonesAreNot() async throws {
        let registry = PrometheusRegistry()
        try await withMetricsFactory(registry) {
            TokenMoves.beginCounters()
            try await withDatabase(size: 3) { (pool: PostgresPool) async throws in
                try await Self.seed(pool)
                let pad = DeviceID("pad")
                try await Self.registerStart(Self.ann, "s1", device: pad, pool)
                try await Self.registerPhone(Self.ann, "d1", device: pad, pool)
                try await Self.unseenForAWeek(Self.ann, pool)
                try await Self.registerStart(Self.bob, "s1", pool)
                try await Self.registerPhone(Self.bob, "d1", pool)
                _ = try await FollowStore(pool: pool).follow(FollowRequest(matchId: MatchID(1)), user: Self.bob)
                for _ in 0..<2 {
                    _ = try await ActivityTokenStore(pool: pool).register(
                        ActivityTokenRequest(activityToken: UpdateToken("u1"), deviceId: Self.phone),
                        match: MatchID(1), user: Self.bob)
                }
            }
        }
        let text = registry.text()
        for kind in ["device", "start", "update"] {
            #expect(text.contains("sightscreen_tokens_moved_total{kind=\"\(kind)\"} 1\n"), "\(text)")
        }
    }

    @Test func anOlderStartTokenThatIsReplayedDoesNotWin() async throws {
        try await withDatabase(size: 3) { (pool: PostgresPool) async throws in
            for token in ["s1", "s2"] { try await Self.registerStart(Self.ann, token, pool) }
            let since = try await Self.since(pool)
            try await Self.registerStart(Self.ann, "s1", pool)
            #expect(try await Self.devices(pool) == ["ann phone - s2"])
            #expect(try await Self.since(pool) == since)
            // Nor does it come back from whoever has it now.
            try await Self.registerStart(Self.bob, "s1", pool)
            try await Self.registerStart(Self.ann, "s1", pool)
            #expect(try await Self.devices(pool) == ["ann phone - s2", "bob phone - s1"])
            // The present one may be sent again, and the next one is news.
            for token in ["s2", "s3"] { try await Self.registerStart(Self.ann, token, pool) }
            #expect(try await Self.devices(pool)[0] == "ann phone - s3")
        }
    }

    @Test func aStartTokenThatDiedIsAFormerOneOnceThereIsAnother() async throws {
        try await withDatabase(size: 3) { (pool: PostgresPool) async throws in
            try await Self.registerStart(Self.ann, "s1", pool)
            try await pool.execute(
                """
                UPDATE devices SET push_to_start_token = NULL,
                    dead_start_token_hash = encode(sha256(convert_to('s1', 'UTF8')), 'hex')
                """)
            // While there is no other, a phone may say so again.
            try await Self.registerStart(Self.ann, "s1", pool)
            #expect(try await Self.devices(pool) == ["ann phone - s1"])
            try await pool.execute(
                """
                UPDATE devices SET push_to_start_token = NULL,
                    dead_start_token_hash = encode(sha256(convert_to('s1', 'UTF8')), 'hex')
                """)
            for token in ["s2", "s1"] { try await Self.registerStart(Self.ann, token, pool) }
            #expect(try await Self.devices(pool) == ["ann phone - s2"])
        }
    }

    @Test func theLastFewFormerStartTokensAreKeptAndADeletedAccountHasNone() async throws {
        try await withDatabase(size: 3) { (pool: PostgresPool) async throws in
            for number in 1...7 { try await Self.registerStart(Self.ann, "s\(number)", pool) }
            for number in 3...6 { try await Self.registerStart(Self.ann, "s\(number)", pool) }
            #expect(try await Self.devices(pool) == ["ann phone - s7"])
            let kept = try await pool.query("SELECT cardinality(former_start_tokens) AS n FROM devices")
            #expect(try kept[0].int("n") == 4)
            _ = try await AccountStore(pool: pool).delete(Self.ann, tokenIssuedAt: 0)
            #expect(try await pool.query("SELECT FROM devices WHERE former_start_tokens IS NOT NULL").isEmpty)
        }
    }

    /// A phone that changes hands and comes back has the same token as before.
    @Test func aStartTokenThatWasTakenMayComeBack() async throws {
        try await withDatabase(size: 3) { (pool: PostgresPool) async throws in
            for (user, former) in [(Self.ann, Self.bob), (Self.bob, Self.ann), (Self.ann, Self.bob)] {
                try await Self.unseenForAWeek(former, pool)
                try await Self.registerStart(user, "s1", pool)
            }
            #expect(try await Self.devices(pool) == ["ann phone - s1", "bob phone - -"])
        }
    }

    private static func since(_ pool: PostgresPool) async throws -> String {
        try await pool.query("SELECT push_to_start_token_at::text AS since FROM devices WHERE user_id = 'ann'")[0]
            .string("since")
    }
}
