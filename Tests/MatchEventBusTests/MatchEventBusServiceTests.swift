import FoundationEssentials
import Logging
import MatchEventBus
import Messages
import Postgres
import ServiceKit
import SightscreenModels
import Store
import TestKit
import Testing
import Wire

@Suite struct MatchEventBusServiceTests {
    /// Crash-safe, as the service insists.
    static let postgres = PrivatePostgres(settings: ["fsync": "on", "full_page_writes": "on"])

    @Test func aFrameComesInOverTheSocketAndItsVersionGoesOutToTheCoordinators() async throws {
        let url = try await Self.postgres.makeDatabase()
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let source = try FrameSource()
        try await withTemporaryDirectory { folder in
            let settings = try Settings(
                environment: ["DATABASE_URL": url, "SIGHTSCREEN_RUN_DIR": folder.path, "INSTANCE": "one"],
                arguments: [], service: MatchEventBusConfiguration.service)
            let readiness = Readiness()
            let service = MatchEventBusService(
                try MatchEventBusConfiguration(settings), ServiceContext(logger: logger, readiness: readiness))
            let (updates, output) = AsyncStream.makeStream(of: MatchUpdate.self)
            let coordinator = WireServer(path: folder.appending("la-coordinator/c.sock"), logger: logger)
            coordinator.on(MatchUpdated.self) { message, _ in output.yield(message.update) }
            let running = [Task { try await service.run() }, Task { try await coordinator.run() }]
            try await eventually("the bus is ready") { readiness.isReady }

            let peer = WirePeer(path: folder.appending("event-bus/one.sock"), logger: logger)
            _ = try await peer.request(LivenessCheck(), expecting: Alive.self)
            let pool = try PostgresPool(url: url, applicationName: "tests")
            var committed: [MatchVersion] = []
            try await eventually("a version reaches the coordinator") {
                let label = "S1 0.\(min(6, committed.count + 1))"
                let at = try await MatchStore(pool: pool).now()
                let reply = try await peer.request(
                    try source.frame(label, fetchedAt: at), expecting: FrameReply.self, timeout: .seconds(5))
                #expect([.committed, .unchanged].contains(reply.outcome))
                if reply.outcome == .committed, let version = reply.version { committed.append(version) }
                // The directory may still be connecting when the first goes out: it is best effort.
                return committed.count >= 3
            }
            let seen = await updates.first { _ in true }
            #expect(seen.map { committed.contains($0.version) } == true)
            #expect(seen?.contentState.version == seen?.version.rawValue)

            running.forEach { $0.cancel() }
            for task in running { _ = await task.result }
            let held = try await pool.query("SELECT 1 FROM leases WHERE expires_at > clock_timestamp()")
            #expect(held.isEmpty)
            #expect(!FileManager.default.fileExists(atPath: folder.appending("event-bus/one.sock")))
            await pool.close()
        }
        await Self.postgres.stop()
    }
}
