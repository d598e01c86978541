import APNsProtocol
import Messages
import Postgres
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

    /// The whole way: an end that APNs answers with BadDeviceToken, beside a phone that it takes pushes to.
    @Test(arguments: [true, false])
    func theBadTokenOfAnEndCountsUnlessManyAreCalledBad(isFine: Bool) async throws {
        try await Harness.with { harness in
            try await harness.crowd(3)
            await harness.apns.answer { push, _ in
                push.event != "end" && isFine ? StubAPNs.accepted : StubAPNs.refusal(.badDeviceToken)
            }
            try await harness.coordinate(settings: ["PUSH_THREADS": "1"]) { coordinator in
                // The first state proves the tokens.
                for _ in 0..<2 {
                    await coordinator.matchUpdated(MatchUpdated(update: try await harness.commit()))
                    try await Task.sleep(for: .milliseconds(300))
                }
                try await harness.pool.execute(
                    """
                    INSERT INTO live_activities (match_id, user_id, device_id, generation, route, shard, status,
                        end_reason, ended_at, update_token, end_push, end_dismissal)
                    VALUES (2, 'inventor', 'phone', 1, 0, 0, 'ended', 'user_unfollow', now(), 'abcd', 'due', 'now')
                    """)
                try await eventually("it is refused") { await harness.apns.pushes(to: "abcd").count == 1 }
                func count() async throws -> Int {
                    try await harness.pool.query("SELECT FROM bad_tokens WHERE user_id = 'inventor' AND count = 1")
                        .count
                }
                if isFine {
                    try await eventually("it counts", within: .seconds(10)) { try await count() == 1 }
                } else {
                    try await Task.sleep(for: .seconds(4))
                    #expect(try await count() == 0)
                }
            }
        }
    }

    /// Anybody can register a token of another app: in a quiet hour, too, it holds up no other phone.
    @Test func aTokenOfAnotherAppHoldsUpNobodyElse() async throws {
        try await Harness.with { harness in
            try await harness.crowd(1)
            let ben = Harness.users(1)[0]
            try await harness.coordinate { coordinator in
                let other = Harness.updateToken("asha")
                await harness.apns.answer { push, _ in
                    push.token == other ? StubAPNs.refusal(.deviceTokenNotForTopic) : StubAPNs.accepted
                }
                try await harness.join("asha")
                await coordinator.matchUpdated(MatchUpdated(update: try await harness.commit(alert: .wicket)))
                try await eventually("ben is told of the wicket", within: .seconds(2)) {
                    await harness.updates(ben).last?.alert == "wicket 2"
                }
                #expect(await harness.updates("asha").count == 1, "it waits")
            }
            #expect(try await harness.status("asha") == "active none")
        }
    }

    /// Nothing was ever accepted: each start waits alone, no token is ended, and others are tried.
    @Test func startsThatAreNotForTheTopicWaitAndStopNothing() async throws {
        try await Harness.with { harness in
            for user in ["asha", "ben", "cat", "dan"] { try await harness.follow(user) }
            await harness.apns.answer { _, _ in StubAPNs.refusal(.deviceTokenNotForTopic) }
            try await harness.coordinate { _ in
                try await eventually("all are refused") { await harness.apns.pushes.count == 4 }
                try await harness.follow("eve")
                try await eventually("another is tried") { await harness.apns.pushes.count == 5 }
                try await Task.sleep(for: .milliseconds(1_200))
                #expect(await harness.apns.pushes.count == 5)
            }
            let row = try await harness.pool.query(
                """
                SELECT count(*) FILTER (WHERE start_lease_until > clock_timestamp() + interval '50 seconds') AS waiting,
                    (SELECT count(push_to_start_token) FROM devices) AS tokens
                FROM live_activities WHERE status = 'pending'
                """)[0]
            #expect(try row.int("waiting") == 5)
            #expect(try row.int("tokens") == 5)
        }
    }

    /// Start tokens of three users that were accepted before: now the topic is wrong.
    @Test func nothingIsSentForAWhileWhenNoProvenTokenIsForTheTopic() async throws {
        try await Harness.with { harness in
            for user in ["asha", "ben", "cat"] { try await harness.follow(user) }
            try await harness.pool.execute(
                "UPDATE devices SET start_token_proven_at = clock_timestamp(), proven_bundle = $1",
                [.text(Harness.bundleID)])
            await harness.apns.answer { _, _ in StubAPNs.refusal(.deviceTokenNotForTopic) }
            try await harness.coordinate(settings: ["PUSH_THREADS": "1"]) { _ in
                try await eventually("all are refused") { await harness.apns.pushes.count == 3 }
                try await harness.follow("dan")
                try await Task.sleep(for: .milliseconds(1_200))
                #expect(await harness.apns.pushes.count == 3)
            }
        }
    }

    /// As above, but they were accepted for another bundle id: that says nothing of this one.
    @Test func whatWasProvenForAnotherBundleIDStopsNothing() async throws {
        try await Harness.with { harness in
            try await harness.crowd(3)
            try await harness.pool.execute("UPDATE bucket_progress SET bundle = 'before'")
            for user in ["asha", "ben", "cat"] { try await harness.follow(user) }
            try await harness.pool.execute(
                "UPDATE devices SET start_token_proven_at = clock_timestamp(), proven_bundle = 'before'")
            let dan = Harness.startToken("dan")
            await harness.apns.answer { push, _ in
                push.token == dan ? StubAPNs.accepted : StubAPNs.refusal(.deviceTokenNotForTopic)
            }
            try await harness.coordinate { _ in
                try await eventually("all are refused") { await harness.apns.pushes.count == 6 }
                try await harness.follow("dan")
                try await eventually("another is started") { await harness.apns.pushes.last?.token == dan }
            }
        }
    }

    /// What was accepted before proofs were kept for a bundle id, and what a phone proved by its nonce, names none.
    @Test func aProofWithoutABundleIDHoldsUpNoStart() async throws {
        try await Harness.with { harness in
            try await harness.follow("asha")
            try await harness.pool.execute(
                "UPDATE devices SET start_token_proven_at = clock_timestamp(), proven_bundle = NULL")
            try await harness.follow("ben")
            try await harness.coordinate { _ in
                try await eventually("both are started", within: .seconds(5)) {
                    await Set(harness.apns.pushes.map(\.token)) == [
                        Harness.startToken("asha"), Harness.startToken("ben"),
                    ]
                }
            }
        }
    }

    /// A start token of another app is retired when it is refused again after another was accepted, and counts against
    /// its account.
    @Test func aStartTokenOfAnotherAppIsRetiredWhenAnotherIsAccepted() async throws {
        try await Harness.with { harness in
            try await harness.follow("asha")
            let other = Harness.startToken("asha")
            await harness.apns.answer { push, _ in
                push.token == other ? StubAPNs.refusal(.deviceTokenNotForTopic) : StubAPNs.accepted
            }
            try await harness.coordinate { _ in
                try await eventually("it is refused") { await harness.apns.pushes(to: other).count == 1 }
                try await harness.follow("ben")
                try await eventually("another is accepted") { await harness.apns.pushes.count == 2 }
                try await harness.pool.execute(
                    "UPDATE live_activities SET start_lease_until = clock_timestamp() WHERE user_id = 'asha'")
                try await eventually("it is retired") {
                    try await harness.pool.query("SELECT FROM devices WHERE push_to_start_token IS NULL").count == 1
                }
            }
            let counted = try await harness.pool.query("SELECT user_id, count FROM bad_tokens")
            #expect(try counted.map { try $0.string("user_id") } == ["asha"])
            #expect(await harness.apns.pushes(to: other).count == 2)
        }
    }
}
