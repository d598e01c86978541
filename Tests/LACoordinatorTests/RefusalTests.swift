import APNsProtocol
import Messages
import SightscreenModels
import TestKit
import Testing

@testable import FanOut
@testable import LACoordinator

/// Whose token an answer of APNs costs its life, and whom it holds up.
@Suite struct RefusalTests {
    @Test func aVerdictOnAReplacedTokenChangesNothing() async throws {
        try await Ground.with { ground in
            try await ground.coordinate { coordinator in
                try await ground.join("asha")
                // While the refusal is on its way the app registers another token.
                await ground.apns.answer { push, _ in
                    guard push.token == Ground.updateToken("asha") else { return StubAPNs.accepted }
                    try? await ground.activate("asha", token: "0c0c")
                    return StubAPNs.refusal(.unregistered, timestampMs: Int64.max / 2_000)
                }
                await coordinator.matchUpdated(MatchUpdated(update: try await ground.commit()))
                try await eventually("the new token has the state") {
                    await ground.apns.pushes(to: "0c0c").last?.version == 2
                }
            }
            #expect(try await ground.status("asha") == "active none")
            #expect(await ground.updates("asha").count == 2)
        }
    }

    @Test(arguments: [
        APNsReason.invalidProviderToken, .topicDisallowed, .badPath, .tooManyRequests, .serviceUnavailable,
    ])
    func noOtherAnswerCostsATokenItsLife(_ reason: APNsReason) async throws {
        try await Ground.with { ground in
            try await ground.coordinate { coordinator in
                try await ground.join("asha")
                await ground.apns.answer { _, _ in StubAPNs.refusal(reason) }
                await coordinator.matchUpdated(MatchUpdated(update: try await ground.commit()))
                try await eventually("the refusal is there") { await ground.updates("asha").count >= 2 }
                try await Task.sleep(for: .milliseconds(200))
            }
            #expect(try await ground.status("asha") == "active none")
        }
    }

    /// Anybody can register a token of another app: that is no reason to keep everybody waiting.
    @Test func aTokenOfAnotherAppHoldsUpNobodyElse() async throws {
        try await Ground.with { ground in
            try await ground.coordinate { coordinator in
                for user in ["asha", "ben"] { try await ground.join(user) }
                await ground.apns.answer { push, _ in
                    push.token == Ground.updateToken("asha")
                        ? StubAPNs.refusal(.deviceTokenNotForTopic) : StubAPNs.accepted
                }
                await coordinator.matchUpdated(MatchUpdated(update: try await ground.commit()))
                try await eventually("the refusal is there") { await ground.updates("asha").count == 2 }
                await coordinator.matchUpdated(MatchUpdated(update: try await ground.commit(alert: .wicket)))
                try await eventually("ben is told of the wicket", within: .seconds(8)) {
                    await ground.updates("ben").last?.alert == "wicket 3"
                }
            }
            #expect(try await ground.status("asha") == "active none")
        }
    }

    @Test func nothingIsSentForAWhileWhenNoTokenIsForTheTopic() async throws {
        try await Ground.with { ground in
            for user in ["asha", "ben"] { try await ground.follow(user) }
            await ground.apns.answer { _, _ in StubAPNs.refusal(.deviceTokenNotForTopic) }
            try await ground.coordinate { _ in
                try await eventually("a refusal is there") { await !ground.apns.pushes.isEmpty }
                try await Task.sleep(for: .milliseconds(500))
                let refused = await ground.apns.pushes.count
                try await ground.follow("cat")
                try await Task.sleep(for: .milliseconds(1_200))
                #expect(await ground.apns.pushes.count == refused)
            }
        }
    }
}
