import APNsProtocol
import Activities
import Messages
import SightscreenModels
import Store
import TestKit
import Testing

@testable import LACoordinator

@Suite struct TakeoverTests {
    /// APNs asks us to leave it alone for a while, ever again.
    @Test func aPhoneThatIsNotReachedCostsNobodyElseARepetition() async throws {
        try await Ground.with { ground in
            try await ground.crowd(300)
            let silent = Ground.updateToken("user0")
            await ground.apns.answer { push, _ in
                push.token == silent ? StubAPNs.refusal(.tooManyRequests) : StubAPNs.accepted
            }
            let shard = DeviceRoute(user: UserID("user0"), device: DeviceID("phone")).shard
            let mark = BucketProgress.mark(of: UpdateToken(silent))
            try await ground.coordinate { coordinator in
                try await eventually("they are taken in") { await coordinator.phones() == 300 }
                let update = try await ground.commit()
                await coordinator.matchUpdated(MatchUpdated(update: update))
                try await eventually("all others show it") {
                    try await ActivityStore(pool: ground.pool).progress(shards: [shard])[Ground.match]?[shard]
                        == BucketProgress(stamp: update.stamp, laggards: [mark])
                }
            }
            await ground.apns.answer(nil)
            let before = await ground.apns.pushes.count
            try await ground.coordinate(instance: "b") { coordinator in
                try await eventually("it has the state") { await ground.updates("user0").last?.version == 2 }
                try await eventually("all is settled") {
                    try await ActivityStore(pool: ground.pool).progress(shards: [shard])[Ground.match]?[shard]?
                        .laggards == []
                }
            }
            let repeated = await Set(ground.apns.pushes.dropFirst(before).map(\.token))
            #expect(repeated == [silent])
        }
    }
}
