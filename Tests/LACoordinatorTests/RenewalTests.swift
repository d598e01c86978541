import APIGateway
import APNsProtocol
import HTTP2
import LACoordinator
import Messages
import Postgres
import SightscreenModels
import Store
import TestKit
import Testing

@Suite struct RenewalTests {
    private static let newToken = "0c01"

    private func mark(_ harness: Harness) async throws {
        try await harness.pool.execute(
            """
            UPDATE live_activities SET renewal_due_at = now(), start_id = 'first', activity_id = 'old',
                start_sent_at = now() - interval '465 minutes'
            """)
    }

    private func starts(_ harness: Harness) async -> [StubAPNs.Push] {
        await harness.apns.pushes(to: Harness.startToken("asha"))
    }

    @Test func theNewActivityStartsBesideTheOldOneWhichEndsWhenTheNewTokenArrives() async throws {
        try await Harness.with { harness in
            try await harness.coordinate { coordinator in
                try await harness.join("asha")
                try await mark(harness)
                try await eventually("the renewal is there") { await starts(harness).count == 1 }
                let start = try #require(await starts(harness).first)
                #expect(start.event == "start" && start.priority == 10 && start.pushType == "liveactivity")
                #expect(start.alert == "RR v KKR goes on" && start.sound == nil)
                #expect(start.collapseID?.hasPrefix("start-1304076-") == true)
                #expect((80...125).contains(start.expiration - start.timestamp))
                // Until its token is here, the old one goes on.
                await coordinator.matchUpdated(MatchUpdated(update: try await harness.commit()))
                try await eventually("the old one has version 2") {
                    await harness.updates("asha").last?.version == 2
                }
                #expect(try await harness.status("asha") == "active none")
                _ = try await ActivityTokenStore(pool: harness.pool).register(
                    ActivityTokenRequest(
                        activityToken: UpdateToken(Self.newToken), deviceId: DeviceID("phone"),
                        activityId: ActivityID("new"), startId: start.attributes["startId"].map { StartID($0) }),
                    match: Harness.match, user: UserID("asha"))
                coordinator.activitiesChanged()
                try await eventually("the old one is ended and the new one shows the state") {
                    let first = await harness.apns.pushes(to: Self.newToken).first
                    return await harness.updates("asha").last?.event == "end" && first?.version == 2
                }
                let end = try #require(await harness.updates("asha").last)
                #expect(end.dismissAt == end.timestamp - 60, "at once")
                await coordinator.matchUpdated(MatchUpdated(update: try await harness.commit()))
                try await eventually("the new one has version 3") {
                    await harness.apns.pushes(to: Self.newToken).last?.version == 3
                }
                #expect(await harness.updates("asha").last?.event == "end")
                #expect(await starts(harness).count == 1)
            }
        }
    }

    @Test func noSecondRenewalGoesOutWhileOneIsUnresolved() async throws {
        try await Harness.with { harness in
            await harness.apns.answer { push, _ in push.event == "start" ? .disconnect : StubAPNs.accepted }
            try await harness.coordinate { _ in
                try await harness.join("asha")
                try await mark(harness)
                try await eventually("the renewal is there") { await starts(harness).count == 1 }
            }
            try await harness.coordinate(instance: "b") { _ in try await Task.sleep(for: .milliseconds(1_500)) }
            #expect(await starts(harness).count == 1)
            #expect(try await harness.status("asha") == "active none")
        }
    }

    /// A million of them must not renew in one second, nor may they keep a pending activity waiting.
    @Test func renewalsGoOutAtTheRateOfStartsAndAfterThem() async throws {
        try await Harness.with { harness in
            try await harness.crowd(20)
            try await harness.pool.execute(
                """
                UPDATE live_activities SET renewal_due_at = now() - interval '1 minute',
                    start_sent_at = now() - interval '465 minutes'
                """)
            try await harness.pool.execute("UPDATE devices SET push_to_start_token = 'a5' || route")
            try await harness.follow("asha")
            try await harness.coordinate(settings: ["START_RATE": "4"]) { _ in
                try await Task.sleep(for: .milliseconds(2_500))
            }
            let tokens = await harness.apns.pushes.filter { $0.event == "start" }.map(\.token)
            #expect((3...12).contains(tokens.count), "\(tokens.count)")
            #expect(tokens.prefix(4).contains(Harness.startToken("asha")), "\(tokens)")
        }
    }

    @Test func aDeadStartTokenLeavesTheRunningActivityAlone() async throws {
        try await Harness.with { harness in
            await harness.apns.answer { push, _ in
                push.event == "start" ? StubAPNs.refusal(.unregistered) : StubAPNs.accepted
            }
            try await harness.coordinate { coordinator in
                try await harness.join("asha")
                try await mark(harness)
                try await eventually("the start token is retired") {
                    try await harness.pool.query("SELECT 1 FROM devices WHERE dead_start_token_hash IS NOT NULL").count
                        == 1
                }
                await coordinator.matchUpdated(MatchUpdated(update: try await harness.commit()))
                try await eventually("it goes on") { await harness.updates("asha").last?.version == 2 }
            }
            #expect(await starts(harness).count == 1)
        }
    }
}
