import APNsProtocol
import Messages
import Postgres
import SightscreenModels
import TestKit
import Testing

@testable import FanOut
@testable import LACoordinator

/// A coordinator and an APNs that calls its provider token expired.
@Suite struct ExpiredTokenTests {
    /// From the 403 to the new token, through the database; starts and ends as well as updates.
    @Test func everythingGoesOutWithTheNextTokenWhenOneHasExpired() async throws {
        try await Harness.with { harness in
            try await harness.coordinate { coordinator in
                for user in ["asha", "ben"] { try await harness.join(user) }
                let expired = try #require(await harness.apns.pushes.first?.authorization)
                await harness.apns.answer { push, _ in
                    push.authorization == expired ? StubAPNs.refusal(.expiredProviderToken) : StubAPNs.accepted
                }
                try await harness.pool.execute(
                    "UPDATE apns_provider_tokens SET issued_at = issued_at - interval '21 minutes'")
                await coordinator.matchUpdated(MatchUpdated(update: try await harness.commit(alert: .wicket)))
                try await harness.follow("cat")
                for user in ["asha", "ben"] {
                    try await eventually("\(user) is told") {
                        let last = await harness.updates(user).last
                        return last?.alert == "wicket 2" && last?.authorization != expired
                    }
                }
                try await eventually("a start goes out") {
                    await harness.apns.pushes(to: Harness.startToken("cat")).last.map { $0.authorization != expired }
                        ?? false
                }
            }
            let pushes = await harness.apns.pushes
            #expect(Set(pushes.map(\.authorization)).count == 2, "one other token for all")
            #expect(
                Dictionary(grouping: pushes, by: \.connection).values.allSatisfy {
                    Set($0.map(\.authorization)).count == 1
                })
        }
    }

    /// APNs' word is not believed against a token that was made a moment ago, but nothing more goes out with it.
    @Test func hardlyAnythingGoesOutWithATokenThatCannotBeReplacedYet() async throws {
        try await Harness.with { harness in
            try await harness.coordinate { coordinator in
                for user in ["asha", "ben", "cat"] { try await harness.join(user) }
                await harness.apns.answer { _, _ in StubAPNs.refusal(.expiredProviderToken) }
                let before = await harness.apns.pushes.count
                for _ in 0..<6 {
                    await coordinator.matchUpdated(MatchUpdated(update: try await harness.commit()))
                    try await Task.sleep(for: .milliseconds(300))
                }
                #expect(await harness.apns.pushes.count <= before + 3, "those that were under way at once")
                await harness.apns.answer(nil)
                for user in ["asha", "ben", "cat"] {
                    try await eventually("\(user) is brought up to date", within: .seconds(10)) {
                        await harness.updates(user).last?.version == 7
                    }
                }
            }
        }
    }
}
