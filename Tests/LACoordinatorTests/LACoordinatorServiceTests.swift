import Logging
import Messages
import Postgres
import ServiceKit
import SightscreenModels
import Store
import TestKit
import Testing
import Wire

@testable import FanOut
@testable import LACoordinator

@Suite struct LACoordinatorServiceTests {
    /// A server of its own, because a service refuses a database that would forget.
    @Test func theServiceListensForNotificationsOfHolds() async throws {
        let postgres = PrivatePostgres(settings: ["fsync": "on", "full_page_writes": "on"])
        try await Harness.with(postgres: postgres) { harness in
            try await withTemporaryDirectory { folder in
                let lines = LogLines()
                let environment = harness.environment().merging(["SIGHTSCREEN_RUN_DIR": folder.path]) { $1 }
                let settings = try Settings(
                    environment: environment, arguments: [], service: LACoordinatorConfiguration.service)
                let service = try LACoordinatorService(
                    LACoordinatorConfiguration(settings), ServiceContext(logger: lines.logger, readiness: Readiness()))
                let running = Task { try await service.run() }
                let gateway = WireDirectory(
                    runDirectory: folder.path, service: "la-coordinator", logger: lines.logger)
                let connecting = Task { try await gateway.run() }
                try await eventually("the gateway is connected") { await gateway.instances() == ["test"] }
                try await harness.join("asha")
                try await harness.hold(.pushes)
                for _ in 0..<20 { await gateway.broadcast(HoldsChanged()) }
                try await eventually("the hold is in force") { lines.count("A hold begins") == 1 }
                _ = try await harness.commit()
                try await Task.sleep(for: .milliseconds(1_200))
                #expect(await harness.updates("asha").count == 1)
                try await harness.hold(.none)
                await gateway.broadcast(HoldsChanged())
                try await eventually("the newest state is there") { await harness.updates("asha").last?.version == 2 }
                #expect(lines.count("A connection is closed") == 0, "the message is known")
                connecting.cancel()
                _ = await connecting.result
                running.cancel()
                _ = await running.result
            }
        }
        await postgres.stop(immediately: true)
    }
}
