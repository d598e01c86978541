import APIGateway
import HTTP2
import LACoordinator
import Postgres
import SightscreenModels
import Store
import Synchronization
import TestKit
import Testing

@Suite struct StartRaceTests {
    /// A start is claimed and waits for its turn on a busy connection; the user unfollows meanwhile, or the token of an
    /// earlier try comes.
    @Test(arguments: [false, true])
    func aStartThatHasNotLeftWhenNobodyWantsItAnyMoreNeverDoes(isAnswered: Bool) async throws {
        try await Ground.with(streamsMax: 1) { ground in
            let isOpen = Mutex(false)
            await ground.apns.answer { _, _ in
                while !isOpen.withLock({ $0 }) { try? await Task.sleep(for: .milliseconds(10)) }
                return StubAPNs.accepted
            }
            try await ground.coordinate(settings: ["PUSH_THREADS": "1"]) { coordinator in
                // Each connection has a push, and others wait for one of them.
                var others = 0
                repeat {
                    try await ground.follow("user\(others)")
                    others += 1
                    try await Task.sleep(for: .milliseconds(600))
                } while await ground.apns.pushes.count == others && others < 20
                #expect(await ground.apns.pushes.count < others)
                try await ground.follow("asha")
                try await eventually("its start is claimed") {
                    try await ground.claims("asha").hasPrefix("pending 1")
                }
                if isAnswered {
                    _ = try await ActivityTokenStore(pool: ground.pool).register(
                        ActivityTokenRequest(
                            activityToken: UpdateToken(Ground.updateToken("asha")), deviceId: DeviceID("phone"),
                            activityId: ActivityID("a1"), startId: StartID("the try before")),
                        match: Ground.match, user: UserID("asha"))
                } else {
                    try await FollowStore(pool: ground.pool).unfollow(Ground.match, user: UserID("asha"))
                }
                await coordinator.activitiesChanged()
                try await Task.sleep(for: .milliseconds(900))
                isOpen.withLock { $0 = true }
                try await eventually("the others are started") { await ground.apns.pushes.count >= others }
                try await Task.sleep(for: .milliseconds(500))
            }
            #expect(await ground.apns.pushes(to: Ground.startToken("asha")).isEmpty)
            #expect(try await ground.status("asha") == (isAnswered ? "active none" : "ended user_unfollow none"))
        }
    }
}
