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

    /// The first that a new process hears of a match: what was committed while nobody pushed goes with it.
    @Test func aCoordinatorThatHasJustBegunHasNotHeardOfAnything() async throws {
        try await Ground.with { ground in
            try await ground.coordinate { _ in try await ground.join("asha") }
            _ = try await ground.commit(alert: .wicket)
            let newest = try await ground.commit(alert: .inningsBreak)
            try await ground.coordinate(instance: "b") { coordinator in
                await coordinator.matchUpdated(MatchUpdated(update: newest))
                try await eventually("the newest state is there") {
                    await ground.updates("asha").last?.version == newest.version.rawValue
                }
                try await Task.sleep(for: .milliseconds(300))
            }
            #expect(await ground.updates("asha").map(\.alert) == [nil, "inningsBreak 3"])
            #expect(await ground.updates("asha").last?.alertBody == "b · wicket 2")
        }
    }
}
