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
    /// The leases ran out while PostgreSQL was away, and the coordinator has them anew: what its loops asked for under
    /// the old ones must not be claimed under the new ones, whose phones are still being read.
    @Test func anAlertIsClaimedUnderTheLeaseThatItsPhonesWereReadUnder() async throws {
        let epochsOn = Mutex<Int64>(0)
        try await Harness.with { harness in
            try await harness.coordinate(epochsOn: { epochsOn.withLock { $0 } }) { coordinator in
                try await harness.join("asha")
                try await eventually("its progress is noted") {
                    try await !harness.pool.query("SELECT FROM bucket_progress").isEmpty
                }
                try await harness.pool.transaction { transaction in
                    // What is read first of shards that are taken over.
                    try await transaction.execute("LOCK TABLE bucket_progress IN ACCESS EXCLUSIVE MODE")
                    try await harness.pool.execute("UPDATE leases SET epoch = epoch + 1 WHERE name LIKE 'shard:%'")
                    let update = try await harness.commit(alert: .wicket)
                    await coordinator.matchUpdated(MatchUpdated(update: update))
                    epochsOn.withLock { $0 = 1 }
                    coordinator.activitiesChanged()
                    try await Task.sleep(for: .seconds(1))
                    #expect(try await harness.pool.query("SELECT FROM alert_claims").isEmpty)
                }
                try await eventually("the alert is told") { await harness.updates("asha").last?.alert == "wicket 2" }
            }
        }
    }

    /// A phone has cards of two matches; of one of them something newer is known than what its page says.
    @Test func whatIsKnownOfOneCardSaysNothingOfAnother() async {
        let records = [Harness.match, MatchID(7)].map { match in
            ActivityRecord(
                key: ActivityKey(matchID: match, userID: UserID("asha"), deviceID: DeviceID("phone"), generation: 1),
                route: DeviceRoute(user: UserID("asha"), device: DeviceID("phone")), environment: .production,
                status: .active, updateToken: UpdateToken("0a"), tokenAt: 1, alerts: .all, takesFrequentPushes: true)
        }
        let changes = await RosterChanges(records, progress: [:], now: 2, except: [records[0].key])
        #expect(changes.entries.map(\.match) == [MatchID(7)] && changes.gone.isEmpty)
    }

    /// APNs asks us to leave it alone for a while, ever again.
    @Test func aPhoneThatIsNotReachedCostsNobodyElseARepetition() async throws {
        try await Harness.with { harness in
            try await harness.crowd(300)
            let silent = Harness.updateToken("user0")
            await harness.apns.answer { push, _ in
                push.token == silent ? StubAPNs.refusal(.tooManyRequests) : StubAPNs.accepted
            }
            let shard = DeviceRoute(user: UserID("user0"), device: DeviceID("phone")).shard
            let mark = BucketProgress.mark(of: UpdateToken(silent))
            try await harness.coordinate { coordinator in
                try await eventually("they are taken in") { await coordinator.phones() == 300 }
                let update = try await harness.commit()
                await coordinator.matchUpdated(MatchUpdated(update: update))
                try await eventually("all others show it") {
                    try await ActivityStore(pool: harness.pool, bundleID: Harness.bundleID).progress(shards: [shard])[
                        Harness.match]?[shard]
                        == BucketProgress(stamp: update.stamp, laggards: [mark])
                }
            }
            await harness.apns.answer(nil)
            let before = await harness.apns.pushes.count
            try await harness.coordinate(instance: "b") { coordinator in
                try await eventually("it has the state") { await harness.updates("user0").last?.version == 2 }
                try await eventually("all is settled") {
                    try await ActivityStore(pool: harness.pool, bundleID: Harness.bundleID).progress(shards: [shard])[
                        Harness.match]?[shard]?
                        .laggards == []
                }
            }
            let repeated = await Set(harness.apns.pushes.dropFirst(before).map(\.token))
            #expect(repeated == [silent])
        }
    }
}
