import MatchOrchestrator
import APNsProtocol
import Activities
import HTTP2
import Postgres
import SightscreenModels
import Store
import TestKit
import Testing

@testable import FanOut
@testable import LACoordinator

@Suite struct FallbackTests {
    private static let deviceToken = "dd01"

    /// A phone whose start was given up, with a push to its app due.
    private func lost(_ harness: Harness, _ step: StartFallback.Step = .silent) async throws {
        try await harness.follow("asha")
        try await harness.pool.execute(
            """
            UPDATE live_activities SET start_attempts = 3, start_sent_at = now(), start_given_up_at = now(),
                start_lease_until = now()
            """)
        try await harness.pool.execute(
            """
            UPDATE devices SET device_token = $1, device_token_at = now() - interval '1 hour', fallback_step = $2,
                fallback_at = now(), fallback_began_at = now(), fallback_match_id = $3, fallback_push = 'due',
                fallback_token_hash = push_to_start_token
            """, [.text(Self.deviceToken), .text(step.rawValue), .int(Harness.match.rawValue)])
    }

    private func state(_ harness: Harness) async throws -> String {
        try await harness.pool.query(
            """
            SELECT concat_ws(' ', fallback_push, coalesce(device_token, 'no token'), push_to_start_token IS NOT NULL)
                AS state FROM devices WHERE user_id = 'asha'
            """)[0].string("state")
    }

    @Test func theSilentPushWakesTheAppOnceAndShowsNothing() async throws {
        try await Harness.with { harness in
            try await lost(harness)
            try await harness.coordinate { _ in
                try await eventually("it is there") { await harness.apns.pushes.count == 1 }
            }
            try await harness.coordinate(instance: "b") { _ in try await Task.sleep(for: .milliseconds(1_200)) }
            let now = Int(try await ActivityStore(pool: harness.pool).now())
            let push = try #require(await harness.apns.pushes.first)
            #expect(await harness.apns.pushes.count == 1)
            #expect(push.token == Self.deviceToken && push.pushType == "background" && push.priority == 5)
            #expect(push.topic == "dev.sightscreen.app" && push.wakesApp && push.alert == nil)
            #expect((14_380...14_401).contains(push.expiration - now))
            #expect(push.verdict == .accepted)
            #expect(try await state(harness) == "sent dd01 t")
        }
    }

    /// As after the phone has proved by its nonce that it has the token.
    @Test func aProofWithoutABundleIDHoldsUpNoPush() async throws {
        try await Harness.with { harness in
            try await lost(harness)
            try await harness.pool.execute("UPDATE devices SET device_token_proven_at = now(), proven_bundle = NULL")
            try await harness.coordinate { _ in
                try await eventually("it is there", within: .seconds(5)) { await harness.apns.pushes.count == 1 }
            }
        }
    }

    @Test func theVisiblePushSaysWhatIsOn() async throws {
        try await Harness.with { harness in
            try await lost(harness, .visible)
            try await harness.coordinate { _ in
                try await eventually("it is there") { await harness.apns.pushes.count == 1 }
                try await Task.sleep(for: .milliseconds(1_200))
            }
            let push = try #require(await harness.apns.pushes.first)
            #expect(await harness.apns.pushes.count == 1)
            #expect(push.pushType == "alert" && push.priority == 10 && push.topic == "dev.sightscreen.app")
            #expect(push.alert == "RR v KKR is live" && !push.wakesApp)
            #expect(push.collapseID == "match-1304076")
            #expect(push.verdict == .accepted)
        }
    }

    @Test func itIsNeverRepeatedWhenNobodyKnowsWhatBecameOfIt() async throws {
        try await Harness.with { harness in
            try await lost(harness)
            await harness.apns.answer { _, _ in .disconnect }
            try await harness.coordinate { _ in
                try await eventually("it left") { await harness.apns.pushes.count == 1 }
                try await Task.sleep(for: .milliseconds(1_500))
            }
            #expect(await harness.apns.pushes.count == 1)
        }
    }

    @Test func itIsRepeatedWhenItCertainlyWasNotTaken() async throws {
        try await Harness.with { harness in
            try await lost(harness)
            await harness.apns.answer { _, count in
                count <= 2 ? .reset(.refusedStream) : StubAPNs.accepted
            }
            try await harness.coordinate { _ in
                try await eventually("it is taken") { await harness.apns.pushes.count == 3 }
                try await Task.sleep(for: .milliseconds(1_200))
            }
            #expect(await harness.apns.pushes.count == 3)
        }
    }

    @Test(arguments: [HoldLevel.alerts, .pushes])
    func aNotificationObeysTheHold(level: HoldLevel) async throws {
        try await Harness.with { harness in
            try await lost(harness, .visible)
            try await harness.hold(level)
            try await harness.coordinate { coordinator in
                try await harness.obeys(coordinator, level)
                try await Task.sleep(for: .milliseconds(1_200))
                #expect(await harness.apns.pushes.isEmpty)
                try await harness.hold(.none, of: coordinator)
                try await eventually("it is there") { await harness.apns.pushes.count == 1 }
            }
        }
    }

    /// The hold comes between the claim and the push.
    @Test func whatAHoldStopsOnItsWayIsDueAgain() async throws {
        try await Harness.with { harness in
            try await lost(harness, .visible)
            let shards = (0..<DeviceRoute.shardCount).map { LeaseName.shard($0) }
            let held = try await LeaseStore(pool: harness.pool).acquire(
                shards, holder: "test/2", duration: .seconds(60)
            ).compactMap { ShardLease($0) }
            let store = ActivityStore(pool: harness.pool)
            let claim = try #require(try await store.claimFallbacks(held, limit: 10).first)
            try await store.releaseFallback(claim, after: .zero)
            #expect(try await state(harness).hasPrefix("due"))
            #expect(try await store.claimFallbacks(held, limit: 10).count == 1)
        }
    }

    /// Anybody can make claims; whatever becomes of their statement, what phones are to be asked and told still leaves.
    @Test func pushesLeaveThoughThoseForClaimsCannotBeRead() async throws {
        try await Harness.with { harness in
            try await lost(harness)
            let held = try await LeaseStore(pool: harness.pool).acquire(
                (0..<DeviceRoute.shardCount).map { .shard($0) }, holder: "test/2", duration: .seconds(60)
            ).compactMap { ShardLease($0) }
            try await harness.pool.execute("ALTER TABLE phone_claims DROP COLUMN due_at")
            let store = ActivityStore(pool: harness.pool)
            try await confirmation("it is told", expectedCount: 1) { isTold in
                let claims = try await store.claimFallbacks(held, limit: 10) { _ in isTold() }
                #expect(claims.count == 1)
            }
            await #expect(throws: PostgresError.self) { try await store.claimFallbacks(held, limit: 10) }
        }
    }

    @Test(arguments: [APNsReason.unregistered, .badDeviceToken])
    func aDeadDeviceTokenIsRetiredAndNothingElse(reason: APNsReason) async throws {
        try await Harness.with { harness in
            try await lost(harness)
            await harness.apns.answer { push, _ in
                push.token == Self.deviceToken ? StubAPNs.refusal(reason) : StubAPNs.accepted
            }
            // A host is believed that takes a token which it took before.
            try await harness.follow("ben")
            try await harness.pool.execute(
                "UPDATE devices SET start_token_proven_at = clock_timestamp(), proven_bundle = $1 WHERE user_id = 'ben'",
                [.text(Harness.bundleID)])
            try await harness.coordinate { _ in
                try await eventually("it is retired", within: .seconds(30)) {
                    try await state(harness).contains("no token")
                }
            }
            #expect(try await state(harness).hasPrefix("sent no token t"))
            #expect(try await harness.status("asha") == "pending none")
        }
    }

    /// The whole way of a card that was swiped away while its app did not run.
    @Test func aDeadUpdateTokenIsAnsweredByAQuestionAndNotByAStart() async throws {
        try await Harness.with { harness in
            await harness.apns.answer { push, _ in
                push.token == Harness.updateToken("asha") ? StubAPNs.refusal(.unregistered) : StubAPNs.accepted
            }
            try await harness.follow("asha")
            try await harness.pool.execute(
                "UPDATE devices SET device_token = $1, device_token_at = now()", [.text(Self.deviceToken)])
            try await harness.activate("asha", secondsAgo: 60)
            let lease = try #require(
                try await LeaseStore(pool: harness.pool).acquire(
                    [.orchestrator], holder: "test/3", duration: .seconds(60)
                ).first)
            try await harness.coordinate { _ in
                try await eventually("the app is asked") {
                    await harness.apns.pushes(to: Self.deviceToken).map(\.pushType) == ["background"]
                }
                #expect(try await harness.status("asha") == "ended token_invalid none")
                let look = try await OrchestratorStore(pool: harness.pool).createPending(
                    for: Harness.match, under: lease)
                #expect(look.made == 0)
                try await Task.sleep(for: .milliseconds(1_200))
            }
            #expect(await harness.apns.pushes.filter { $0.event == "start" }.isEmpty)
            #expect(await harness.apns.pushes(to: Self.deviceToken).count == 1)
        }
    }

    /// The whole way: a start token that APNs calls dead, and the orchestrator's word.
    @Test func aRefusedStartLeadsToASilentPush() async throws {
        try await Harness.with { harness in
            try await harness.follow("asha")
            try await harness.pool.execute("UPDATE devices SET device_token = 'dd01'")
            await harness.apns.answer { push, _ in
                push.event == "start" ? StubAPNs.refusal(.unregistered) : StubAPNs.accepted
            }
            let lease = try #require(
                try await LeaseStore(pool: harness.pool).acquire(
                    [.orchestrator], holder: "test/3", duration: .seconds(60)
                ).first)
            try await harness.coordinate { coordinator in
                try await eventually("the start token is retired") { try await state(harness).hasSuffix(" f") }
                // As often as it takes: what came of the start is written a moment after its token was retired.
                try await eventually("the orchestrator sees it") {
                    try await OrchestratorStore(pool: harness.pool).moveFallbacks(StartFallback(), under: lease).moved
                        == [.silent: 1]
                }
                coordinator.activitiesChanged()
                try await eventually("the app is woken") { await harness.apns.pushes.last?.wakesApp == true }
            }
        }
    }
}
