import Messages
import SightscreenModels
import TestKit
import Testing

@testable import LACoordinator

/// Versions that a coordinator did not hear of.
@Suite struct GapTests {
    /// Of the version with the alert nobody heard: it is among those that the next one shows to be missing.
    @Test func anAlertThatWasMissedGoesWithTheVersionThatShowsIt() async throws {
        try await Ground.with { ground in
            try await ground.coordinate { coordinator in
                try await ground.join("asha")
                let before = await ground.updates("asha").count
                let missed = try await ground.commit(alert: .wicket)
                await coordinator.matchUpdated(MatchUpdated(update: try await ground.commit()))
                try await eventually("the alert is told") { await ground.updates("asha").contains { $0.alert != nil } }
                let since = await ground.updates("asha").dropFirst(before)
                #expect(since.map(\.version) == [missed.version.rawValue + 1])
            }
        }
    }
}
