import Logging
import MatchOrchestrator
import Messages
import Postgres
import ServiceKit
import SightscreenModels
import Store
import Synchronization
import TestKit
import Testing
import Wire

@Suite struct MatchOrchestratorServiceTests {
    private let logger = Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })

    private func settings(_ url: String, _ folder: TemporaryDirectory, _ port: Int, _ instance: String) throws
        -> Settings
    {
        try Settings(
            environment: [
                "SIGHTSCREEN_STAND_INS": "1", "SPORTMONKS_URL": "http://127.0.0.1:\(port)/api/v2.0",
                "SPORTMONKS_API_TOKEN": "t", "DATABASE_URL": url, "SIGHTSCREEN_RUN_DIR": folder.path,
                "INSTANCE": instance, "ORCHESTRATOR_INTERVAL": "200ms", "LEASE_DURATION": "2s",
            ], arguments: [], service: MatchOrchestratorConfiguration.service)
    }

    /// A server of its own, because a service refuses a database that would forget.
    @Test func worksNotifiesTheCoordinatorsAndIsTakenOver() async throws {
        let server = PrivatePostgres(settings: ["fsync": "on", "full_page_writes": "on"])
        let url = try await server.makeDatabase()
        let pool = try PostgresPool(url: url, applicationName: "tests")
        // The provider is down all the time: nothing else may wait for it.
        let provider = try StubProvider([.init(status: 500, body: "")])
        defer { provider.stop() }
        try await withTemporaryDirectory { folder in
            let coordinator = WireServer(path: folder.appending("la-coordinator/one.sock"), logger: logger)
            let notifications = NotificationLog()
            coordinator.on(ActivitiesChanged.self) { message, _ in notifications.note(message.matchID) }
            let listening = Task { try await coordinator.run() }
            let first = try run(url, folder, provider.port, "first")
            try await pool.execute(
                "INSERT INTO devices (user_id, device_id, route, shard, push_to_start_token) VALUES ('u', 'd', 1, 1, 't')"
            )
            try await pool.execute("INSERT INTO match_follows (user_id, match_id) VALUES ('u', 7)")
            try await pool.execute(
                """
                INSERT INTO active_matches (match_id, display_state, version, stamp, content_state, went_live_at)
                VALUES (7, 'live', 1, 1, '{}', clock_timestamp() - interval '2 minutes')
                """)
            try await eventually("a start is due and the coordinator was told") {
                let pending = try await pool.query("SELECT 1 FROM live_activities WHERE status = 'pending'").count
                return pending == 1 && notifications.matches.contains(MatchID(7))
            }
            let second = try run(url, folder, provider.port, "second")
            first.cancel()
            _ = await first.result
            try await pool.execute(
                "UPDATE live_activities SET status = 'ended', end_reason = 'token_invalid', ended_at = clock_timestamp()"
            )
            try await eventually("the second starts what was lost") {
                try await pool.query("SELECT 1 FROM live_activities WHERE generation = 2").count == 1
            }
            second.cancel()
            _ = await second.result
            listening.cancel()
            _ = await listening.result
        }
        await pool.close()
        await server.stop(immediately: true)
    }

    private func run(
        _ url: String, _ folder: TemporaryDirectory, _ port: Int, _ instance: String
    ) throws -> Task<Void, any Error> {
        let settings = try settings(url, folder, port, instance)
        let service = MatchOrchestratorService(
            try MatchOrchestratorConfiguration(settings), ServiceContext(logger: logger, readiness: Readiness()))
        return Task { try await service.run() }
    }

    private final class NotificationLog: Sendable {
        private let received = Mutex<[MatchID]>([])
        func note(_ match: MatchID) { received.withLock { $0.append(match) } }
        var matches: [MatchID] { received.withLock { $0 } }
    }

    @Test(arguments: [
        ("SPORTMONKS_API_TOKEN", ""), ("DATABASE_URL", ""), ("ORCHESTRATOR_INTERVAL", "soon"), ("START_LEAD", "-1s"),
        ("RESULT_HOLD", "5"), ("FOLLOW_RETENTION", "0s"), ("SPORTMONKS_HOURLY_LIMIT", "many"),
        ("SPORTMONKS_URL", "http://127.0.0.1:1"),
    ])
    func refusesAMissingOrMalformedSettingByItsName(_ name: String, _ value: String) throws {
        var environment = ["SPORTMONKS_API_TOKEN": "t", "DATABASE_URL": "postgresql://x@/x"]
        environment[name] = value
        #expect {
            let settings = try Settings(
                environment: environment, arguments: [], service: MatchOrchestratorConfiguration.service)
            _ = try MatchOrchestratorConfiguration(settings)
        } throws: { ($0 as? ConfigurationError)?.setting == name }
    }
}
