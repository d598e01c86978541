import Messages
import SightscreenModels
import TestKit
import Testing

@testable import FanOut
@testable import LACoordinator

/// Versions that a coordinator did not hear of.
@Suite struct GapTests {
    /// Of the version with the alert nobody heard: it is among those that the next one shows to be missing.
    @Test func anAlertThatWasMissedGoesWithTheVersionThatShowsIt() async throws {
        try await Harness.with { harness in
            try await harness.crowd(1)
            let parts = try await Parts(harness)
            try await parts.acquire()
            try await parts.update()
            try await parts.publisher.read()
            let missed = try await harness.commit(alert: .wicket)
            await parts.publisher.publish(try await harness.commit())
            let apns = parts.bench.apns
            try await eventually("the alert is told") { await apns.pushes.contains { $0.alert != nil } }
            #expect(await apns.pushes.filter { $0.version > 1 }.map(\.version) == [missed.version.rawValue + 1])
            await parts.bench.end()
        }
    }

    /// Two versions are published at once, by notification and from the log: the loops have the newer one whichever
    /// comes first.
    @Test(arguments: 0..<20)
    func theNewerOfTwoThatArePublishedAtOnceGoesOut(round: Int) async throws {
        try await Harness.with { harness in
            try await harness.crowd(1)
            let parts = try await Parts(harness)
            try await parts.acquire()
            try await parts.update()
            let updates = [try await harness.commit(alert: .wicket), try await harness.commit()]
            async let first: Void = parts.publisher.publish(updates[round % 2])
            async let second: Void = parts.publisher.publish(updates[1 - round % 2])
            async let third: Void? = try? parts.publisher.read()
            _ = await (first, second, third)
            let apns = parts.bench.apns
            try await eventually("the newest is there") {
                await apns.pushes.last?.version == updates[1].version.rawValue
            }
            #expect(await apns.pushes.count { $0.alert != nil } == 1)
            #expect(await parts.bench.fanOut.progress([Harness.match])[0].version == updates[1].version.rawValue)
            await parts.bench.end()
        }
    }

    /// The first that a new process hears of a match: what was committed while nobody pushed goes with it.
    @Test func aCoordinatorThatHasJustBegunHasNotHeardOfAnything() async throws {
        try await Harness.with { harness in
            try await harness.coordinate { _ in try await harness.join("asha") }
            _ = try await harness.commit(alert: .wicket)
            let newest = try await harness.commit(alert: .inningsBreak)
            try await harness.coordinate(instance: "b") { coordinator in
                await coordinator.matchUpdated(MatchUpdated(update: newest))
                try await eventually("the newest state is there") {
                    await harness.updates("asha").last?.version == newest.version.rawValue
                }
                try await Task.sleep(for: .milliseconds(300))
            }
            #expect(await harness.updates("asha").map(\.alert) == [nil, "inningsBreak 3"])
            #expect(await harness.updates("asha").last?.alertBody == "b · wicket 2")
        }
    }
}
