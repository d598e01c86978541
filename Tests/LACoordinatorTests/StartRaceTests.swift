import APIGateway
import APNsProtocol
import Activities
import HTTP2
import SightscreenModels
import Store
import Synchronization
import Testing
import TestKit

@testable import FanOut
@testable import LACoordinator

/// The gates of starts and the loops, without a coordinator.
@Suite struct StartRaceTests {
    /// A start is claimed and waits for its turn on a busy connection; the user unfollows meanwhile, or the token of an
    /// earlier try comes. A renewal stays wanted while the activity before it runs.
    @Test(arguments: [
        (ActivityRecord.Status.ended, false, false), (.active, false, false), (.active, true, true),
        (.ended, true, false),
    ])
    func aStartThatHasNotLeftWhenNobodyWantsItAnyMoreNeverDoes(
        status: ActivityRecord.Status, isRenewal: Bool, leaves: Bool
    ) async throws {
        let bench = try await FanOutTests.Bench(threads: 1, connections: 1, streamsMax: 1)
        let valve = Valve(0)
        await bench.apns.answer(through: valve)
        let (gates, trust) = (StartGates(), ShardTrust(bench.stalls, epoch: 1))
        trust.extend(to: .now + .seconds(600))
        @Sendable func start(_ user: String, _ gate: PushGate) async -> PushResult {
            let push = OneShot(
                kind: .start, path: APNsHeaders.path(token: PushToStartToken(Harness.startToken(user))),
                headers: .start(
                    bundleID: "dev.sightscreen.app", leaseUntil: Int(FanOutTests.now), match: Harness.match,
                    route: DeviceRoute(user: UserID(user), device: DeviceID("phone"))),
                body: HTTP2SharedBody(Array(#"{"aps":{"event":"start"}}"#.utf8)), target: nil, gate: gate)
            return await bench.fanOut.push(push, shard: 0, to: .production)
        }
        func gate() -> PushGate { PushGate(trust, MatchHold(.none)) }
        // The one connection has a push.
        let before = gate()
        let first = Task { await start("ben", before) }
        try await eventually("it is under way") { await bench.apns.pushes.count == 1 }
        let key = ActivityKey(
            matchID: Harness.match, userID: UserID("asha"), deviceID: DeviceID("phone"), generation: 1)
        let asha = gate()
        gates.add(asha, of: key, isRenewal: isRenewal)
        let waiting = Task { await start("asha", asha) }
        try await Task.sleep(for: .milliseconds(100))
        gates.close(for: [
            ActivityRecord(
                key: key, route: DeviceRoute(user: key.userID, device: key.deviceID), environment: .production,
                status: status, updateToken: nil, tokenAt: 0, alerts: .all, takesFrequentPushes: true)
        ])
        await valve.open()
        #expect(await first.value.outcome == .accepted)
        #expect(await waiting.value.outcome == (leaves ? .accepted : .withdrawn))
        #expect(await bench.apns.pushes(to: Harness.startToken("asha")).isEmpty == !leaves)
        await bench.end()
    }

    @Test func aStartIsWithdrawnWhenTheRosterReadsThatNobodyWantsIt() async throws {
        try await Harness.with { harness in
            try await harness.follow("asha")
            let parts = try await Parts(harness)
            try await parts.acquire()
            try await parts.update()
            let trust = ShardTrust(parts.bench.stalls, epoch: 1)
            trust.extend(to: .now + .seconds(600))
            let gate = PushGate(trust, MatchHold(.none))
            let key = ActivityKey(
                matchID: Harness.match, userID: UserID("asha"), deviceID: DeviceID("phone"), generation: 1)
            parts.gates.add(gate, of: key, isRenewal: false)
            try await parts.update()
            #expect(gate.isOpen(unlessHeld: .pushes))
            try await FollowStore(pool: harness.pool).unfollow(Harness.match, user: UserID("asha"))
            try await parts.update()
            #expect(!gate.isOpen(unlessHeld: .pushes))
            await parts.bench.end()
        }
    }
}
