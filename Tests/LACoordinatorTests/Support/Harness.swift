import Activities
import Cricket
import FoundationEssentials
import Logging
import Messages
import Postgres
import ServiceKit
import SightscreenModels
import Store
import TestKit

@testable import FanOut
@testable import LACoordinator

/// A database with a live match, an APNs, and coordinators between them.
struct Harness: Sendable {
    static let match = MatchID(1_304_076)
    static let bundleID = "dev.sightscreen.app"
    let pool: PostgresPool
    let apns: StubAPNs
    let credentials: Credentials
    let url: String

    /// - Parameters:
    ///   - streamsMax: pushes that APNs takes at once on a connection.
    ///   - postgres: one that a test may stop.
    static func with(
        streamsMax: Int = 1_000, postgres: PrivatePostgres = .shared, _ body: (Harness) async throws -> Void
    ) async throws {
        let url = try await postgres.makeDatabase()
        let pool = try PostgresPool(url: url, size: 4, applicationName: "coordinator-tests")
        let credentials = try Credentials()
        let apns = try await StubAPNs.start(credentials, streamsMax: streamsMax)
        let harness = Harness(pool: pool, apns: apns, credentials: credentials, url: url)
        do {
            try await harness.seed()
            try await body(harness)
        } catch {
            await apns.stop()
            await pool.close()
            throw error
        }
        await apns.stop()
        await pool.close()
    }

    func environment() -> [String: String] {
        [
            "DATABASE_URL": url, "SIGHTSCREEN_STAND_INS": "1", "INSTANCE": "test", "APNS_KEY_FILE": credentials.keyFile,
            "APNS_KEY_ID": "KEYID00001", "APNS_TEAM_ID": "TEAMID0001", "APNS_BUNDLE_ID": Self.bundleID,
            "APNS_URL": "https://\(apns.origin)", "APNS_SANDBOX_URL": "https://\(apns.origin)",
            "APNS_CA_FILE": credentials.certificateFile, "APNS_MANAGE_URL": "https://\(apns.origin)",
            "APNS_SANDBOX_MANAGE_URL": "https://\(apns.origin)",
        ]
    }

    func configuration(_ settings: [String: String] = [:]) throws -> LACoordinatorConfiguration {
        try LACoordinatorConfiguration(
            Settings(
                environment: environment().merging(settings) { $1 }, arguments: [],
                service: LACoordinatorConfiguration.service))
    }

    /// Runs a coordinator that holds all shards while `body` runs, as long as `isHolding` says so.
    /// - Parameters:
    ///   - trust: how long a hold is trusted after it was asked for; nil: as long as the lease.
    ///   - epochsOn: how often all leases ran out and were taken anew.
    func coordinate(
        instance: String = "a", shards: Range<Int> = 0..<DeviceRoute.shardCount, settings: [String: String] = [:],
        timing: LACoordinator.Timing? = nil, stalls: StallDetector? = nil,
        logger: Logger = Logger(label: "coordinator-tests") { _ in SwiftLogNoOpLogHandler() },
        readiness: Readiness = Readiness(),
        tracer: Tracer = .off, trust: Duration? = nil, isHolding: @escaping @Sendable () -> Bool = { true },
        epochsOn: @escaping @Sendable () -> Int64 = { 0 },
        _ body: (LACoordinator) async throws -> Void
    ) async throws {
        let configuration = try configuration(settings.merging(["INSTANCE": instance]) { $1 })
        let leases = LeaseStore(pool: pool)
        let holder = LeaseStore.holder(instance: instance)
        let names = shards.map { LeaseName.shard($0) }
        let holds = try await leases.acquire(names, holder: holder, duration: .seconds(600))
            .compactMap { ShardLease($0) }
        // Not ours: what a test locks must not keep its own statements waiting.
        let own = try PostgresPool(url: url, size: 6, applicationName: "coordinator")
        let coordinator = try LACoordinator(
            configuration: configuration, pool: own, readiness: readiness, logger: logger, tracer: tracer,
            timing: timing, stalls: stalls
        ) {
            guard isHolding() else { return [] }
            return holds.map { hold in
                var hold = hold
                hold.epoch += epochsOn()
                if let trust { hold.trustUntil = .now + trust }
                return hold
            }
        }
        let running = Task {
            await coordinator.run()
            await own.close()
        }
        do { try await body(coordinator) } catch {
            running.cancel()
            await running.value
            try await leases.release(names, holder: holder)
            throw error
        }
        running.cancel()
        await running.value
        try await leases.release(names, holder: holder)
    }

    private func seed() async throws {
        try await pool.execute(
            """
            INSERT INTO fixtures (match_id, league_id, competition, format, status, starts_at, home_id, home_name,
                home_code, away_id, away_name, away_code)
            VALUES ($1, 1, 'IPL', 'twenty20', '1st Innings', now(), 8, 'Rajasthan Royals', 'RR', 5,
                'Kolkata Knight Riders', 'KKR')
            """, [.int(Self.match.rawValue)])
        try await pool.execute(
            "INSERT INTO active_matches (match_id, display_state, went_live_at) VALUES ($1, 'live', now())",
            [.int(Self.match.rawValue)])
        _ = try await commit()
    }

    static func state(_ version: Int) -> ContentState {
        ContentState(
            version: version, matchDisplayState: .live, matchSentiment: .neutral,
            compactLeading: .init(teamAbbr: "RR", score: "\(version)/0"),
            compactTrailing: .init(overs: "1.0", runRate: "6.00"), minimal: nil,
            expanded: .init(
                title: "RR v KKR", subtitle: "IPL", innings: [], batters: [], bowler: nil, recentBalls: [], target: nil,
                requiredRunRate: nil, equation: nil, lastEvent: nil, status: nil))
    }

    /// Commits the next version as event-bus does.
    /// - Parameter before: is given the version before its row is there.
    func commit(
        alert kind: EventKind? = nil, value: Int? = nil, priority: Int = 5, ageOfEvent: Int = 0,
        before: (MatchUpdate) async -> Void = { _ in }
    ) async throws -> MatchUpdate {
        let row = try await pool.query(
            """
            UPDATE active_matches SET version = version + 1,
                stamp = greatest(stamp + 1, floor(extract(epoch FROM clock_timestamp()))::bigint)
            WHERE match_id = $1
            RETURNING version, stamp, floor(extract(epoch FROM clock_timestamp()))::bigint AS now,
                floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now_ms
            """, [.int(Self.match.rawValue)])[0]
        let version = try row.int("version")
        let alert = try kind.map {
            MatchAlert(
                title: "\($0.rawValue) \(version)", body: "b", kind: $0, value: value, sound: $0 == .wicket,
                eventAt: try row.int("now") - ageOfEvent)
        }
        let update = MatchUpdate(
            matchID: Self.match, version: MatchVersion(version), stamp: Stamp(try row.int("stamp")),
            contentState: Self.state(version), priority: alert == nil ? priority : 10, alert: alert, relevance: 50,
            committedAtMs: try row.int64("now_ms"))
        func json(_ value: some Encodable) throws -> String {
            String(decoding: try JSONEncoder().encode(value), as: UTF8.self)
        }
        let state = try json(update.contentState)
        await before(update)
        try await pool.execute(
            """
            WITH log AS (
                INSERT INTO match_updates (match_id, version, stamp, content_state, priority, alert)
                VALUES ($1, $2, $3, $4, $5, $6::jsonb))
            UPDATE active_matches SET content_state = $4 WHERE match_id = $1
            """,
            [
                .int(Self.match.rawValue), .int(version), .int(update.stamp.rawValue), .text(state),
                .int(update.priority), PostgresValue(try alert.map { try json($0) }),
            ])
        return update
    }

    /// A device that follows the match, with a pending activity.
    /// - Parameter listens: it can listen to broadcast channels.
    func follow(_ user: String, alerts: AlertLevel = .all, listens: Bool = false) async throws {
        let route = DeviceRoute(user: UserID(user), device: DeviceID("phone"))
        try await pool.execute(
            """
            INSERT INTO devices
                (user_id, device_id, route, shard, push_to_start_token, push_to_start_token_at, broadcast)
            VALUES ($1, 'phone', $2, $3, $4, now(), $5)
            """,
            [
                .text(user), .int(route.hash), .int(route.shard), .text(Self.startToken(user)), .bool(listens),
            ])
        try await pool.execute(
            "INSERT INTO match_follows (user_id, match_id, alerts) VALUES ($1, $2, $3)",
            [.text(user), .int(Self.match.rawValue), .text(alerts.rawValue)])
        try await pool.execute(
            """
            INSERT INTO live_activities (match_id, user_id, device_id, generation, route, shard)
            VALUES ($1, $2, 'phone', 1, $3, $4)
            """, [.int(Self.match.rawValue), .text(user), .int(route.hash), .int(route.shard)])
    }

    static func startToken(_ user: String) -> String { "5a\(hex(user))" }
    static func updateToken(_ user: String) -> String { "0b\(hex(user))" }
    private static func hex(_ user: String) -> String { user.utf8.map { String($0, radix: 16) }.joined() }

    /// The app registered its update token.
    func activate(_ user: String, token: String? = nil, secondsAgo: Int = 0) async throws {
        try await pool.execute(
            """
            UPDATE live_activities SET status = 'active', update_token = $2,
                token_at = clock_timestamp() - $3::bigint * interval '1 second', activated_at = clock_timestamp()
            WHERE user_id = $1
            """, [.text(user), .text(token ?? Self.updateToken(user)), .int(secondsAgo)])
    }

    /// A phone with an activity that shows the newest state.
    func join(_ user: String, alerts: AlertLevel = .all) async throws {
        try await follow(user, alerts: alerts)
        try await pool.execute(
            "UPDATE live_activities SET start_lease_until = now() + interval '1 hour' WHERE user_id = $1", [.text(user)]
        )
        try await activate(user)
        try await eventually("\(user) is brought up to date") {
            await !apns.pushes(to: Self.updateToken(user)).isEmpty
        }
    }

    func status(_ user: String) async throws -> String {
        let row = try await pool.query(
            """
            SELECT status || coalesce(' ' || end_reason, '') || ' ' || end_push AS status FROM live_activities
            WHERE user_id = $1
            """, [.text(user)])[0]
        return try row.string("status")
    }

    func updates(_ user: String) async -> [StubAPNs.Push] { await apns.pushes(to: Self.updateToken(user)) }
}
