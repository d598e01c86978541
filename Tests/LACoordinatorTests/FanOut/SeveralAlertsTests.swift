import Messages
import Postgres
import SightscreenModels
import TestKit
import Testing

@testable import FanOut
@testable import LACoordinator

/// What was committed while no coordinator pushed.
@Suite struct SeveralAlertsTests {
    @Test func freshAlertsAreMergedIntoTheNextVersionAndAnOldOneIsDropped() async throws {
        try await Harness.with { harness in
            try await harness.coordinate { _ in try await harness.join("asha") }
            // No push left in the meantime.
            _ = try await harness.commit(alert: .milestone, value: 50, ageOfEvent: 45)
            _ = try await harness.commit(alert: .wicket)
            _ = try await harness.commit(alert: .inningsBreak)
            let newest = try await harness.commit()
            try await harness.coordinate(instance: "b") { _ in
                try await eventually("the newest state is there") {
                    await harness.updates("asha").last?.version == newest.version.rawValue
                }
                try await Task.sleep(for: .milliseconds(300))
            }
            #expect(await harness.updates("asha").map(\.alert) == [nil, "inningsBreak 4"])
            #expect(await harness.updates("asha").last?.alertBody == "b · wicket 3")
            // Each was claimed before: another coordinator tells neither.
            let claims = try await harness.pool.query("SELECT alert_version FROM alert_claims ORDER BY alert_version")
            #expect(try Set(claims.map { try $0.int("alert_version") }) == [3, 4])
        }
    }
}
