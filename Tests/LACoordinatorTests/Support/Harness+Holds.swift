import Activities
import Postgres
import SightscreenModels
import Store
import TestKit

@testable import FanOut
@testable import LACoordinator

extension Harness {
    /// Sets a hold as another host does: no notification comes.
    func hold(_ level: HoldLevel, match: MatchID? = Harness.match) async throws {
        try await HoldStore(pool: pool).set(level, match: match, actor: "asha", requestID: "r")
    }

    /// Sets a hold, and waits until the coordinator obeys it.
    func hold(_ level: HoldLevel, match: MatchID? = Harness.match, of coordinator: LACoordinator) async throws {
        let effective = try await HoldStore(pool: pool).set(level, match: match, actor: "asha", requestID: "r")
            .effective
        coordinator.holdsChanged()
        try await obeys(coordinator, effective)
    }

    /// Waits until this level is in force at a coordinator.
    func obeys(_ coordinator: LACoordinator, _ level: HoldLevel) async throws {
        try await eventually("\(level) is in force") {
            HoldLevel.allCases.allSatisfy { coordinator.stops($0, of: Self.match) == ($0 <= level) }
        }
    }

    /// Waits until what has left is there.
    func settle() async throws {
        var before = -1
        while await apns.pushes.count != before {
            before = await apns.pushes.count
            try await Task.sleep(for: .milliseconds(300))
        }
    }

    /// Phones that show the newest state; their tokens are two hours old.
    func crowd(_ count: Int) async throws {
        let users = Self.users(count)
        let routes = users.map { DeviceRoute(user: UserID($0), device: DeviceID("phone")) }
        try await pool.execute(
            """
            WITH crowd AS (
                SELECT * FROM unnest($2::text[], $3::text[], $4::bigint[], $5::int[]) AS c (name, token, route, shard)
            ), devices AS (
                INSERT INTO devices (user_id, device_id, route, shard) SELECT name, 'phone', route, shard FROM crowd
            ), follows AS (
                INSERT INTO match_follows (user_id, match_id) SELECT name, $1 FROM crowd
            ), settled AS (
                INSERT INTO bucket_progress (match_id, bucket, bucket_count, settled_stamp, bundle)
                SELECT DISTINCT $1::bigint, shard, 64, m.stamp, $6 FROM crowd, active_matches m WHERE m.match_id = $1
                ON CONFLICT DO NOTHING
            )
            INSERT INTO live_activities (match_id, user_id, device_id, generation, route, shard, status, update_token,
                token_at, activated_at)
            SELECT $1, name, 'phone', 1, route, shard, 'active', token, now() - interval '2 hours', now() FROM crowd
            """,
            [
                .int(Self.match.rawValue), .textArray(users), .textArray(users.map { Self.updateToken($0) }),
                .intArray(routes.map(\.hash)), .intArray(routes.map(\.shard)), .text(Self.bundleID),
            ])
    }

    static func users(_ count: Int) -> [String] { (0..<count).map { "user\($0)" } }

    /// The columns of an activity that a claim changes.
    func claims(_ user: String) async throws -> String {
        try await pool.query(
            """
            SELECT concat_ws(' ', status, start_attempts, start_lease_until > clock_timestamp(), end_push, end_attempts,
                end_lease_until > clock_timestamp()) AS claims
            FROM live_activities WHERE user_id = $1
            """, [.text(user)]
        )[0].string("claims")
    }
}
