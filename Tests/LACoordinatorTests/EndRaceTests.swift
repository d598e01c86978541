import LACoordinator
import Messages
import Postgres
import Sightscreen
import Store
import TestKit
import Testing

@Suite struct EndRaceTests {
    /// An end is claimed and waits for the answer to an update; the token comes to another user meanwhile.
    @Test func anEndThatHadToWaitIsNotSentToAnActivityOfAnotherUser() async throws {
        try await Ground.with { ground in
            let valve = Valve(0)
            await ground.apns.answer { push, _ in
                if push.event == "update" { await valve.pass() }
                return StubAPNs.accepted
            }
            try await ground.coordinate { coordinator in
                // Its first state is under way.
                try await ground.join("asha")
                try await FollowStore(pool: ground.pool).unfollow(Ground.match, user: UserID("asha"))
                await coordinator.activitiesChanged()
                try await eventually("its end is claimed") {
                    try await ground.pool.query("SELECT end_attempts FROM live_activities WHERE user_id = 'asha'")[0]
                        .int("end_attempts") == 1
                }
                // The next user of the phone: the activity is now on record as that user's.
                try await ground.follow("ben")
                _ = try await ActivityTokenStore(pool: ground.pool).register(
                    ActivityTokenRequest(
                        activityToken: UpdateToken(Ground.updateToken("asha")), deviceId: DeviceID("phone")),
                    match: Ground.match, user: UserID("ben"))
                #expect(try await ground.status("asha") == "ended user_unfollow dropped")
                await valve.open()
                try await Task.sleep(for: .seconds(1.5))
            }
            let events = await ground.apns.pushes(to: Ground.updateToken("asha")).map(\.event)
            #expect(!events.contains("end"), "\(events)")
            #expect(try await ground.status("ben") == "active none")
        }
    }

    @Test func anEndThatHadToWaitIsSentWhenItIsStillOwed() async throws {
        try await Ground.with { ground in
            let valve = Valve(0)
            await ground.apns.answer { push, _ in
                if push.event == "update" { await valve.pass() }
                return StubAPNs.accepted
            }
            try await ground.coordinate { coordinator in
                try await ground.join("asha")
                try await FollowStore(pool: ground.pool).unfollow(Ground.match, user: UserID("asha"))
                await coordinator.activitiesChanged()
                try await eventually("its end is claimed") {
                    try await ground.pool.query("SELECT end_attempts FROM live_activities WHERE user_id = 'asha'")[0]
                        .int("end_attempts") == 1
                }
                await valve.open()
                try await eventually("the end is sent and noted", within: .seconds(2)) {
                    try await ground.status("asha") == "ended user_unfollow sent"
                }
            }
            let ends = await ground.apns.pushes(to: Ground.updateToken("asha")).filter { $0.event == "end" }
            #expect(ends.count == 1)
        }
    }
}
