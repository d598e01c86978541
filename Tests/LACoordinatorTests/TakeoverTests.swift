import APNsProtocol
import Activities
import Messages
import Postgres
import SightscreenModels
import Store
import Synchronization
import TestKit
import Testing

@testable import FanOut
@testable import LACoordinator

@Suite struct TakeoverTests {
    /// The leases ran out while PostgreSQL was away, and the coordinator has them anew: what its loops asked for under the old
    /// ones must not be claimed under the new ones, whose phones are still being read.
    @Test func anAlertIsClaimedUnderTheLeaseThatItsPhonesWereReadUnder() async throws {
        let epochsOn = Mutex<Int64>(0)
        try await Ground.with { ground in
            try await ground.coordinate(epochsOn: { epochsOn.withLock { $0 } }) { coordinator in
                try await ground.join("asha")
                try await eventually("its progress is noted") {
                    try await !ground.pool.query("SELECT FROM bucket_progress").isEmpty
                }
                try await ground.pool.transaction { transaction in
                    // What is read first of shards that are taken over.
                    try await transaction.execute("LOCK TABLE bucket_progress IN ACCESS EXCLUSIVE MODE")
                    try await ground.pool.execute("UPDATE leases SET epoch = epoch + 1 WHERE name LIKE 'shard:%'")
                    let update = try await ground.commit(alert: .wicket)
                    await coordinator.matchUpdated(MatchUpdated(update: update))
                    epochsOn.withLock { $0 = 1 }
                    coordinator.activitiesChanged()
                    try await Task.sleep(for: .seconds(1))
                    #expect(try await ground.pool.query("SELECT FROM alert_claims").isEmpty)
                }
                try await eventually("the alert is told") { await ground.updates("asha").last?.alert == "wicket 2" }
            }
        }
    }

    /// A phone has cards of two matches; of one of them something newer is known than what its page says.
    @Test func whatIsKnownOfOneCardSaysNothingOfAnother() async {
        let records = [Ground.match, MatchID(7)].map { match in
            ActivityRecord(
                key: ActivityKey(matchID: match, userID: UserID("asha"), deviceID: DeviceID("phone"), generation: 1),
                route: DeviceRoute(user: UserID("asha"), device: DeviceID("phone")), environment: .production,
                status: .active, updateToken: UpdateToken("0a"), tokenAt: 1, alerts: .all, takesFrequentPushes: true)
        }
        let news = await RosterNews(records, progress: [:], now: 2, except: [records[0].key])
        #expect(news.entries.map(\.match) == [MatchID(7)] && news.gone.isEmpty)
    }

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
