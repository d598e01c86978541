import MatchOrchestrator
import APIGateway
import Postgres
import SightscreenModels
import Store
import TestKit
import Testing

/// A database with a match in play, the stores that users' requests go through, and the orchestrator's.
struct AccountHarness: Sendable {
    static let match = MatchID(1_304_076)
    static let ann = UserID("ann")
    static let ben = UserID("ben")

    let pool: PostgresPool
    let accounts: AccountStore
    let follows: FollowStore
    let devices: DeviceStore
    let activities: ActivityTokenStore
    let orchestrator: OrchestratorStore
    let lease: Lease

    static func with(_ body: (AccountHarness) async throws -> Void) async throws {
        try await withDatabase(size: 8) { (pool: PostgresPool) async throws in
            let lease = try #require(
                try await LeaseStore(pool: pool).acquire([.orchestrator], holder: "test/1", duration: .seconds(600))
                    .first)
            let harness = AccountHarness(
                pool: pool, accounts: AccountStore(pool: pool), follows: FollowStore(pool: pool),
                devices: DeviceStore(pool: pool), activities: ActivityTokenStore(pool: pool),
                orchestrator: OrchestratorStore(pool: pool, batchSize: 2), lease: lease)
            try await harness.play(match)
            try await body(harness)
        }
    }

    /// Makes a match that is in play.
    func play(_ match: MatchID) async throws {
        try await pool.execute(
            """
            INSERT INTO active_matches (match_id, display_state, version, stamp, content_state, went_live_at)
            VALUES ($1, 'live', 1, 100, '{}', clock_timestamp() - interval '2 minutes')
            """, [.int(match.rawValue)])
    }

    /// Registers a phone with both tokens.
    func phone(_ name: String, of user: UserID, environment: APNsEnvironment = .sandbox) async throws {
        let device = DeviceID(name)
        _ = try await devices.register(
            DeviceRegistration(
                deviceId: device, deviceToken: DeviceToken("\(user)-\(name)-device"), osVersion: "18.1",
                appVersion: "2.0.1", environment: environment),
            token: .set(DeviceToken("\(user)-\(name)-device")), user: user)
        _ = try await devices.register(
            PushToStartRegistration(pushToStartToken: PushToStartToken("\(user)-\(name)-start"), deviceId: device),
            user: user)
    }

    /// Follows the match and lets the activity on a phone run.
    func showActivity(_ match: MatchID = match, on name: String, of user: UserID) async throws {
        _ = try await follows.follow(FollowRequest(matchId: match), user: user)
        try await register(name, match, of: user)
    }

    /// The update token of the activity on a phone.
    func register(_ name: String, _ match: MatchID = match, of user: UserID) async throws {
        _ = try await activities.register(
            ActivityTokenRequest(
                activityToken: UpdateToken("\(user)-\(name)-\(match)"), deviceId: DeviceID(name),
                activityId: ActivityID("activity-\(name)")), match: match, user: user)
    }

    /// As if it had been deleted so long ago: the tombstone and what the deletion did to the rows.
    func ageRows(_ interval: String, since user: UserID) async throws {
        for (table, columns) in [
            ("deleted_users", ["deleted_at"]),
            ("devices", ["created_at", "last_seen_at", "device_token_at", "push_to_start_token_at"]),
            ("match_follows", ["created_at"]), ("live_activities", ["created_at", "ended_at"]),
        ] {
            let changes = columns.map { "\($0) = \($0) - interval '\(interval)'" }.joined(separator: ", ")
            try await pool.execute("UPDATE \(table) SET \(changes) WHERE user_id = $1", [.text(user.rawValue)])
        }
    }

    func erase() async throws { _ = try await orchestrator.eraseDeletedUsers(under: lease) }

    func count(_ table: String, _ condition: String = "true") async throws -> Int {
        try await pool.query("SELECT count(*) AS n FROM \(table) WHERE \(condition)").first?.int("n") ?? -1
    }

    func now() async throws -> Int {
        try await pool.query("SELECT floor(extract(epoch FROM clock_timestamp()))::bigint AS n").first?.int("n") ?? 0
    }
}
