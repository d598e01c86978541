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

    private func mark(_ ground: Ground) async throws {
        try await ground.pool.execute(
            """
            UPDATE live_activities SET renewal_due_at = now(), start_id = 'first', activity_id = 'old',
                start_sent_at = now() - interval '465 minutes'
            """)
    }

    private func starts(_ ground: Ground) async -> [StubAPNs.Push] {
        await ground.apns.pushes(to: Ground.startToken("asha"))
    }

    @Test func theNewActivityStartsBesideTheOldOneWhichEndsWhenTheNewTokenArrives() async throws {
        try await Ground.with { ground in
            try await ground.coordinate { coordinator in
                try await ground.join("asha")
                try await mark(ground)
                try await eventually("the renewal is there") { await starts(ground).count == 1 }
                let start = try #require(await starts(ground).first)
                #expect(start.event == "start" && start.priority == 10 && start.pushType == "liveactivity")
                #expect(start.alert == "RR v KKR is live" && start.sound == nil)
                #expect(start.collapseID?.hasPrefix("start-1304076-") == true)
                #expect((80...125).contains(start.expiration - start.timestamp))
                // Until its token is here, the old one goes on.
                await coordinator.matchUpdated(MatchUpdated(update: try await ground.commit()))
                try await eventually("the old one has version 2") {
                    await ground.updates("asha").last?.version == 2
                }
                #expect(try await ground.status("asha") == "active none")
                _ = try await ActivityTokenStore(pool: ground.pool).register(
                    ActivityTokenRequest(
                        activityToken: UpdateToken(Self.newToken), deviceId: DeviceID("phone"),
                        activityId: ActivityID("new"), startId: start.attributes["startId"].map { StartID($0) }),
                    match: Ground.match, user: UserID("asha"))
                coordinator.activitiesChanged()
                try await eventually("the old one is ended and the new one shows the state") {
                    let first = await ground.apns.pushes(to: Self.newToken).first
                    return await ground.updates("asha").last?.event == "end" && first?.version == 2
                }
                let end = try #require(await ground.updates("asha").last)
                #expect(end.dismissAt == end.timestamp - 60, "at once")
                await coordinator.matchUpdated(MatchUpdated(update: try await ground.commit()))
                try await eventually("the new one has version 3") {
                    await ground.apns.pushes(to: Self.newToken).last?.version == 3
                }
                #expect(await ground.updates("asha").last?.event == "end")
                #expect(await starts(ground).count == 1)
            }
        }
    }

    @Test func noSecondRenewalGoesOutWhileOneIsUnresolved() async throws {
        try await Ground.with { ground in
            await ground.apns.answer { push, _ in push.event == "start" ? .disconnect : StubAPNs.accepted }
            try await ground.coordinate { _ in
                try await ground.join("asha")
                try await mark(ground)
                try await eventually("the renewal is there") { await starts(ground).count == 1 }
            }
            try await ground.coordinate(instance: "b") { _ in try await Task.sleep(for: .milliseconds(1_500)) }
            #expect(await starts(ground).count == 1)
            #expect(try await ground.status("asha") == "active none")
        }
    }

    /// A million of them must not renew in one second, nor may they keep a pending activity waiting.
    @Test func renewalsGoOutAtTheRateOfStartsAndAfterThem() async throws {
        try await Ground.with { ground in
            try await ground.crowd(20)
            try await ground.pool.execute(
                """
                UPDATE live_activities SET renewal_due_at = now() - interval '1 minute',
                    start_sent_at = now() - interval '465 minutes'
                """)
            try await ground.pool.execute("UPDATE devices SET push_to_start_token = 'a5' || route")
            try await ground.follow("asha")
            try await ground.coordinate(settings: ["START_RATE": "4"]) { _ in
                try await Task.sleep(for: .milliseconds(2_500))
            }
            let tokens = await ground.apns.pushes.filter { $0.event == "start" }.map(\.token)
            #expect((3...12).contains(tokens.count), "\(tokens.count)")
            #expect(tokens.prefix(4).contains(Ground.startToken("asha")), "\(tokens)")
        }
    }

    @Test func aDeadStartTokenLeavesTheRunningActivityAlone() async throws {
        try await Ground.with { ground in
            await ground.apns.answer { push, _ in
                push.event == "start" ? StubAPNs.refusal(.unregistered) : StubAPNs.accepted
            }
            try await ground.coordinate { coordinator in
                try await ground.join("asha")
                try await mark(ground)
                try await eventually("the start token is retired") {
                    try await ground.pool.query("SELECT 1 FROM devices WHERE dead_start_token_hash IS NOT NULL").count
                        == 1
                }
                await coordinator.matchUpdated(MatchUpdated(update: try await ground.commit()))
                try await eventually("it goes on") { await ground.updates("asha").last?.version == 2 }
            }
            #expect(await starts(ground).count == 1)
        }
    }
}
