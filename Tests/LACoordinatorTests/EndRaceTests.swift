import Activities
import APIGateway
import NIOConcurrencyHelpers
import Postgres
import SightscreenModels
import Store
import TestKit
import Testing

@testable import FanOut
@testable import LACoordinator

@Suite struct EndRaceTests {
    private static let key = RosterKey(
        ActivityKey(matchID: Harness.match, userID: UserID("asha"), deviceID: DeviceID("phone"), generation: 1))

    /// Claims the end of an activity while its first state is under way, and has that state answered.
    /// - Parameter meanwhile: what happens before the answer.
    private func withWaitingEnd(
        meanwhile: (Harness) async throws -> Void, after: (Harness, Parts) async throws -> Void
    ) async throws {
        try await Harness.with { harness in
            let parts = try await Parts(harness)
            let (apns, fanOut, valve) = (parts.bench.apns, parts.bench.fanOut, Valve(0))
            await apns.answer { push, _ in
                if push.event == "update" { await valve.pass() }
                return StubAPNs.accepted
            }
            try await harness.follow("asha")
            try await harness.activate("asha", secondsAgo: 60)
            try await parts.acquire()
            try await parts.update()
            try await parts.publisher.read()
            let token = Harness.updateToken("asha")
            try await eventually("its first state is under way") { await apns.pushes(to: token).count == 1 }
            try await FollowStore(pool: harness.pool).unfollow(Harness.match, user: UserID("asha"))
            try await parts.update()
            try await parts.ends.send(parts.roster.held)
            #expect(await apns.pushes(to: token).map(\.event) == ["update"])
            try await meanwhile(harness)
            await valve.open()
            try await eventually("its first state is answered") {
                await fanOut.onEach { $0.inFlight }.allSatisfy { $0 == 0 }
            }
            await parts.ends.release(Harness.match, Self.key)
            try await parts.ends.send(parts.roster.held)
            try await after(harness, parts)
            await parts.bench.end()
        }
    }

    @Test func anEndThatHadToWaitIsNotSentToAnActivityOfAnotherUser() async throws {
        try await withWaitingEnd { harness in
            // The next user of the phone: the activity is now on record as that user's.
            try await harness.follow("ben")
            try await harness.pool.execute("UPDATE devices SET left_at = clock_timestamp() WHERE user_id = 'asha'")
            _ = try await ActivityTokenStore(pool: harness.pool).register(
                ActivityTokenRequest(
                    activityToken: UpdateToken(Harness.updateToken("asha")), deviceId: DeviceID("phone")),
                match: Harness.match, user: UserID("ben"))
        } after: { harness, parts in
            let (former, present) = (try await harness.status("asha"), try await harness.status("ben"))
            #expect(former == "ended user_unfollow dropped")
            #expect(present == "active none")
            #expect(await parts.bench.apns.pushes.allSatisfy { $0.event == "update" })
            #expect(parts.pushes.isEmpty)
        }
    }

    @Test func anEndThatHadToWaitIsSentWhenItIsStillOwed() async throws {
        try await withWaitingEnd { _ in
        } after: { harness, parts in
            try await eventually("the end is sent and noted") {
                try await harness.status("asha") == "ended user_unfollow sent"
            }
            let pushes = await parts.bench.apns.pushes(to: Harness.updateToken("asha"))
            #expect(pushes.map(\.event) == ["update", "end"])
        }
    }

    /// A match that is over: its ends are more than one statement claims, and nobody rings.
    @Test func manyEndsDoNotWaitForOneLookAtTheTablesAfterTheOther() async throws {
        try await Harness.with { harness in
            try await harness.crowd(2_500)
            try await harness.pool.execute(
                """
                UPDATE live_activities SET status = 'ended', end_reason = 'match_end', ended_at = clock_timestamp(),
                    end_push = 'due', end_dismissal = 'linger'
                """)
            try await harness.coordinate(timing: .init(interval: .seconds(600), auditInterval: .seconds(60))) { _ in
                try await eventually("all ends are sent and noted", within: .seconds(30)) {
                    try await harness.pool.query("SELECT 1 FROM live_activities WHERE end_push <> 'sent' LIMIT 1")
                        .isEmpty
                }
            }
            let pushes = await harness.apns.pushes
            #expect(pushes.count == 2_500 && pushes.allSatisfy { $0.event == "end" })
        }
    }

    /// Its token is replaced while an update is under way, and what the next token is sent is answered before.
    @Test func anEndWaitsForAnUpdateToTheTokenBefore() async throws {
        let bench = try await FanOutTests.Bench(threads: 1)
        let valve = Valve(0)
        await bench.apns.answer { push, _ in
            if push.token == "0a" { await valve.pass() }
            return StubAPNs.accepted
        }
        let (old, new) = (FanOutTests.Bench.entry("asha", token: "0a"), FanOutTests.Bench.entry("asha", token: "0b"))
        await bench.fanOut.add([old])
        await bench.fanOut.publish([FanOutTests.update(2)])
        try await eventually("it is under way") { await bench.apns.pushes(to: "0a").count == 1 }
        await bench.fanOut.add([new])
        try await eventually("the next token has it") {
            let inFlight = await bench.fanOut.onEach { $0.inFlight }.reduce(0, +)
            return await bench.apns.pushes(to: "0b").count == 1 && inFlight == 1
        }
        #expect(bench.left().isEmpty)
        let place = RosterPlace(
            ActivityKey(matchID: Harness.match, userID: UserID("asha"), deviceID: DeviceID("phone"), generation: 1),
            shard: new.shard)
        #expect(place.key == new.key)
        #expect(await bench.fanOut.remove([place]) == [place])
        await valve.open()
        try await eventually("the last answer is in") { bench.left() == [new.key] }
        await bench.end()
    }

    /// A user deletes the account: the end of one card does not wait for an update to another.
    @Test func anEndDoesNotWaitForAnUpdateOfAnotherMatch() async throws {
        let bench = try await FanOutTests.Bench(threads: 1)
        let valve = Valve(0)
        await bench.apns.answer(through: valve)
        var entries = [FanOutTests.Bench.entry("asha", token: "0a"), FanOutTests.Bench.entry("asha", token: "0b")]
        entries[1].match = MatchID(7)
        await bench.fanOut.add(entries)
        await bench.fanOut.publish([FanOutTests.update(2)])
        try await eventually("it is under way") { await bench.apns.pushes(to: "0a").count == 1 }
        let places = entries.map { entry in
            RosterPlace(
                ActivityKey(matchID: entry.match, userID: UserID("asha"), deviceID: DeviceID("phone"), generation: 1),
                shard: entry.shard)
        }
        #expect(await bench.fanOut.remove(places) == [places[0]])
        await valve.open()
        await bench.end()
    }

    /// The shard goes and comes back, while the answer to an update takes its time.
    @Test func anEndWaitsForAnUpdateFromBeforeItsShardWasLost() async throws {
        try await Harness.with { harness in
            let valve = Valve(0)
            await harness.apns.answer { push, count in
                if push.event == "update", count == 1 { await valve.pass() }
                return StubAPNs.accepted
            }
            let isHolding = NIOLockedValueBox(true)
            try await harness.coordinate(isHolding: { isHolding.withLockedValue { $0 } }) { coordinator in
                try await harness.join("asha")
                isHolding.withLockedValue { $0 = false }
                coordinator.activitiesChanged()
                try await eventually("the shards are lost") { await coordinator.phones() == 0 }
                isHolding.withLockedValue { $0 = true }
                coordinator.activitiesChanged()
                try await eventually("the state is repeated and taken") {
                    let inFlight = await coordinator.pushesInFlight()
                    return await harness.updates("asha").count == 2 && inFlight == 1
                }
                try await FollowStore(pool: harness.pool).unfollow(Harness.match, user: UserID("asha"))
                coordinator.activitiesChanged()
                try await eventually("its end is claimed") {
                    try await harness.pool.query("SELECT end_attempts FROM live_activities WHERE user_id = 'asha'")[0]
                        .int("end_attempts") == 1
                }
                try await Task.sleep(for: .milliseconds(500))
                #expect(await harness.updates("asha").allSatisfy { $0.event == "update" }, "it would be overtaken")
                await valve.open()
                try await eventually("the end is sent and noted") {
                    try await harness.status("asha") == "ended user_unfollow sent"
                }
            }
        }
    }
}

extension FanOutTests.Bench {
    /// Activities whose last push is answered.
    fileprivate func left() -> [RosterKey] {
        reports.withLockedValue { $0.compactMap { if case .drained(_, let key) = $0 { key } else { nil } } }
    }
}
