import APNsProtocol
import Messages
import SightscreenModels
import TestKit
import Testing

@testable import FanOut
@testable import LACoordinator

/// Whose token an answer of APNs costs its life, and whom it holds up.
@Suite struct RefusalTests {
    @Test func anAnswerAboutAReplacedTokenChangesNothing() async throws {
        try await Harness.with { harness in
            try await harness.coordinate { coordinator in
                try await harness.join("asha")
                // While the refusal is on its way the app registers another token.
                await harness.apns.answer { push, _ in
                    guard push.token == Harness.updateToken("asha") else { return StubAPNs.accepted }
                    try? await harness.activate("asha", token: "0c0c")
                    return StubAPNs.refusal(.unregistered, timestampMs: Int64.max / 2_000)
                }
                await coordinator.matchUpdated(MatchUpdated(update: try await harness.commit()))
                try await eventually("the new token has the state") {
                    await harness.apns.pushes(to: "0c0c").last?.version == 2
                }
            }
            #expect(try await harness.status("asha") == "active none")
            #expect(await harness.updates("asha").count == 2)
        }
    }

    @Test(arguments: [
        APNsReason.invalidProviderToken, .topicDisallowed, .badPath, .tooManyRequests, .serviceUnavailable,
    ])
    func noOtherAnswerCostsATokenItsLife(_ reason: APNsReason) async throws {
        try await Harness.with { harness in
            try await harness.coordinate { coordinator in
                try await harness.join("asha")
                await harness.apns.answer { _, _ in StubAPNs.refusal(reason) }
                await coordinator.matchUpdated(MatchUpdated(update: try await harness.commit()))
                try await eventually("the refusal is there") { await harness.updates("asha").count >= 2 }
                try await Task.sleep(for: .milliseconds(200))
            }
            #expect(try await harness.status("asha") == "active none")
        }
    }

    /// Anybody can register a token of another app: that is no reason to keep everybody waiting.
    @Test func aTokenOfAnotherAppHoldsUpNobodyElse() async throws {
        try await Harness.with { harness in
            try await harness.coordinate { coordinator in
                for user in ["asha", "ben"] { try await harness.join(user) }
                await harness.apns.answer { push, _ in
                    push.token == Harness.updateToken("asha")
                        ? StubAPNs.refusal(.deviceTokenNotForTopic) : StubAPNs.accepted
                }
                await coordinator.matchUpdated(MatchUpdated(update: try await harness.commit()))
                try await eventually("the refusal is there") { await harness.updates("asha").count == 2 }
                await coordinator.matchUpdated(MatchUpdated(update: try await harness.commit(alert: .wicket)))
                try await eventually("ben is told of the wicket", within: .seconds(8)) {
                    await harness.updates("ben").last?.alert == "wicket 3"
                }
            }
            #expect(try await harness.status("asha") == "active none")
        }
    }

    @Test func nothingIsSentForAWhileWhenNoTokenIsForTheTopic() async throws {
        try await Harness.with { harness in
            for user in ["asha", "ben"] { try await harness.follow(user) }
            await harness.apns.answer { _, _ in StubAPNs.refusal(.deviceTokenNotForTopic) }
            try await harness.coordinate { _ in
                try await eventually("a refusal is there") { await !harness.apns.pushes.isEmpty }
                try await Task.sleep(for: .milliseconds(500))
                let refused = await harness.apns.pushes.count
                try await harness.follow("cat")
                try await Task.sleep(for: .milliseconds(1_200))
                #expect(await harness.apns.pushes.count == refused)
            }
        }
    }
}
