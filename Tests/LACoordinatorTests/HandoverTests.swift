import APNsProtocol
import Activities
import Logging
import Messages
import Postgres
import ServiceKit
import SightscreenModels
import Store
import TestKit
import Testing

@testable import FanOut
@testable import LACoordinator

/// A second coordinator comes, and gets half of the shards from the first.
@Suite struct HandoverTests {
    @Test func aTakeoverInTheMiddleOfAlertsDeliversEachAlertOnce() async throws {
        let postgres = PrivatePostgres(settings: ["fsync": "on", "full_page_writes": "on"])
        try await Harness.with(postgres: postgres) { harness in
            try await withTemporaryDirectory { folder in
                try await harness.crowd(300)
                // Long enough for shards to be handed over between the push and its answer.
                await harness.apns.answer { _, _ in
                    try? await Task.sleep(for: .milliseconds(Int.random(in: 20...400)))
                    return StubAPNs.accepted
                }
                let lines = LogLines()
                func start(_ instance: String) throws -> Task<Void, any Error> {
                    let environment = harness.environment().merging([
                        "SIGHTSCREEN_RUN_DIR": folder.path, "INSTANCE": instance, "LEASE_DURATION": "3s",
                    ]) { $1 }
                    let settings = try Settings(
                        environment: environment, arguments: [], service: LACoordinatorConfiguration.service)
                    let service = try LACoordinatorService(
                        LACoordinatorConfiguration(settings),
                        ServiceContext(logger: lines.logger, readiness: Readiness()))
                    return Task { try await service.run() }
                }
                func counts() async throws -> [Int] {
                    try await harness.pool.query(
                        """
                        SELECT count(*) AS n FROM leases WHERE name LIKE 'shard:%' AND expires_at > clock_timestamp()
                        GROUP BY holder ORDER BY holder
                        """
                    ).map { try $0.int("n") }
                }
                let first = try start("a")
                try await eventually("one has all") { try await counts() == [64] }
                let second = try start("b")
                var alerts: [String] = []
                // All of its half takes longer than a test should: a few at a time.
                try await eventually("the second has some", within: .seconds(60)) {
                    let update = try await harness.commit(alert: .wicket)
                    alerts.append(update.alert?.title ?? "")
                    try await Task.sleep(for: .milliseconds(1_100))
                    let counts = try await counts()
                    return counts.count == 2 && counts[1] >= 12
                }
                #expect(lines.count("Handed over shards") > 2)
                let last = try await harness.commit()
                for number in 0..<300 {
                    try await eventually("user\(number) shows the newest state") {
                        await harness.updates("user\(number)").last?.version == last.version.rawValue
                    }
                    let told = await harness.updates("user\(number)").compactMap(\.alert)
                    #expect(Set(told).count == told.count, "user\(number) is told once")
                    // Alerts that come in quick succession are told together; the last one cannot be missed by that.
                    #expect(told.last == alerts.last, "user\(number) is told")
                }
                #expect(lines.count("Lease lost") == 0)
                for task in [first, second] {
                    task.cancel()
                    _ = await task.result
                }
            }
        }
        await postgres.stop(immediately: true)
    }

    @Test func whatIsHandedOverIsNotTakenUpAgainUnderTheSameLease() async throws {
        try await Harness.with { harness in
            try await harness.crowd(100)
            let parts = try await Parts(harness)
            try await parts.acquire()
            try await parts.update()
            #expect(await parts.phones() == 100)
            #expect(await parts.roster.release(Array(0..<32)) { _ in }.sorted() == Array(0..<32))
            let left = await parts.phones()
            #expect(left < 100)
            try await parts.update()
            #expect(await parts.phones() == left)
            #expect(await parts.roster.release([0]) { _ in } == [], "it is not here any more")
            try await parts.acquire()
            try await parts.update()
            #expect(await parts.phones() == 100, "its lease was let go, and taken anew")
            await parts.bench.end()
        }
    }

    @Test func aShardWhoseAlertIsNotSentYetStays() async throws {
        try await Harness.with { harness in
            try await harness.crowd(100)
            try await harness.coordinate { coordinator in
                try await eventually("they are taken in") { await coordinator.phones() == 100 }
                let slow = Harness.updateToken("user0")
                let shard = DeviceRoute(user: UserID("user0"), device: DeviceID("phone")).shard
                // Refused for a while: the alert is still to be told.
                await harness.apns.answer { push, count in
                    push.token == slow && count < 12 ? StubAPNs.refusal(.tooManyRequests) : StubAPNs.accepted
                }
                let update = try await harness.commit(alert: .wicket)
                await coordinator.matchUpdated(MatchUpdated(update: update))
                try await eventually("all others are told") {
                    await harness.apns.pushes.count { $0.alert != nil && $0.token != slow } == 99
                }
                #expect(await !coordinator.release([shard]).contains(shard))
                await harness.apns.answer(nil)
                try await eventually("it is told, by whoever still may") {
                    await harness.updates("user0").last?.alert != nil
                }
                try await eventually("then it goes") { await coordinator.release([shard]) == [shard] }
            }
        }
    }
}
