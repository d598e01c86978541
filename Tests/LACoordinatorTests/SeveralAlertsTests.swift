import Messages
import Postgres
import SightscreenModels
import TestKit
import Testing

@testable import FanOut
@testable import LACoordinator

/// What was committed while no coordinator pushed.
@Suite struct SeveralAlertsTests {
    @Test func freshAlertsRideOnTheNextVersionAndAnOldOneIsDropped() async throws {
        try await Ground.with { ground in
            try await ground.coordinate { _ in try await ground.join("asha") }
            // No push left in the meantime.
            _ = try await ground.commit(alert: .milestone, value: 50, ageOfEvent: 45)
            _ = try await ground.commit(alert: .wicket)
            _ = try await ground.commit(alert: .inningsBreak)
            let newest = try await ground.commit()
            try await ground.coordinate(instance: "b") { _ in
                try await eventually("the newest state is there") {
                    await ground.updates("asha").last?.version == newest.version.rawValue
                }
                try await Task.sleep(for: .milliseconds(300))
            }
            #expect(await ground.updates("asha").map(\.alert) == [nil, "inningsBreak 4"])
            #expect(await ground.updates("asha").last?.alertBody == "b · wicket 3")
            // Each was claimed before: another coordinator tells neither.
            let claims = try await ground.pool.query("SELECT alert_version FROM alert_claims ORDER BY alert_version")
            #expect(try Set(claims.map { try $0.int("alert_version") }) == [3, 4])
        }
    }
}
