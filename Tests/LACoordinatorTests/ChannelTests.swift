import APNsProtocol
import Activities
import HTTP2
import Messages
import Metrics
import OperatorTool
import Postgres
import ServiceKit
import SightscreenModels
import Store
import TestKit
import Testing

@testable import FanOut
@testable import LACoordinator

/// Broadcast channels, from the wish for one to its deletion, against a real database.
@Suite struct ChannelTests {
    @Test func aChannelIsMadeOnceAndEveryVersionIsPublishedToIt() async throws {
        try await Harness.withChannel { harness, coordinator, channel in
            let update = try await harness.commit()
            await coordinator.matchUpdated(MatchUpdated(update: update))
            try await eventually("the version is published") {
                await harness.apns.pushes(to: channel).last?.version == update.version.rawValue
            }
            let publish = try #require(await harness.apns.pushes(to: channel).last)
            #expect(publish.headers[":path"] == nil && publish.headers["apns-topic"] == nil)
            #expect(publish.headers["apns-expiration"] == "0" && publish.pushType == "liveactivity")
            #expect(publish.priority == 5 && publish.event == "update" && publish.alert == nil)
            #expect(publish.headers["apns-request-id"] != nil && publish.id == nil)
            try await harness.settle()
            #expect(await harness.apns.channels.count == 1)
        }
    }

    /// As `ChannelPacer` recovers, so that the next holder does not begin with a pace of long ago.
    @Test(arguments: [(4, 1, 4), (4, 17, 7), (6, 31, 12), (4, 600, 12)])
    func theRowHasThePaceOfNow(_ taught: Int, _ minutes: Int, _ now: Int) async throws {
        try await withDatabase { (pool: PostgresPool) async throws in
            try await pool.execute(
                """
                INSERT INTO broadcast_channels (match_id, environment, class, generation, shard, channel_id, opened_at, per_minute,
                    rests_until)
                VALUES (7, 'production', 0, 1, 3, 'Y2hhbm5lbA==', now(), $1,
                    clock_timestamp() - $2::int * interval '1 minute')
                """, [.int(taught), .int(minutes)])
            #expect(try await ChannelStore(pool: pool).open(shards: [3]).map(\.perMinute) == [now])
            var pacer = ChannelPacer(perMinute: taught)
            for minute in 1...minutes { pacer.accepted(alert: nil, at: Int64(minute) * 60_000_000_000) }
            #expect(pacer.perMinute == now)
        }
    }

    @Test func aStartIsResolvedWhenAPNsTakesItOnAChannel() async throws {
        try await Harness.withChannel { harness, coordinator, channel in
            try await harness.follow("asha", listens: true)
            try await harness.follow("token")
            coordinator.activitiesChanged()
            try await eventually("the activity runs") { try await harness.status("asha") == "active none" }
            let start = try #require(await harness.apns.pushes(to: Harness.startToken("asha")).first)
            #expect(start.inputChannel == channel)
            try await eventually("the other phone is started, too") {
                await !harness.apns.pushes(to: Harness.startToken("token")).isEmpty
            }
            let other = try #require(await harness.apns.pushes(to: Harness.startToken("token")).first)
            #expect(other.inputChannel == nil)
            #expect(try await harness.status("token") == "pending none", "it waits for its token")
        }
    }

    /// A match begins: its starts are more than one statement claims, and the rate has room for all.
    @Test func manyStartsDoNotWaitForOneReadingAfterTheOther() async throws {
        try await Harness.with { harness in
            try await harness.crowd(2_500)
            try await harness.askForChannel()
            try await harness.pool.execute(
                "UPDATE broadcast_channels SET channel_id = 'Y2hhbm5lbA==', opened_at = now()")
            try await harness.pool.execute(
                "UPDATE devices SET broadcast = true, push_to_start_token = md5(user_id), push_to_start_token_at = now()"
            )
            try await harness.pool.execute(
                "UPDATE live_activities SET status = 'pending', update_token = NULL, token_at = NULL, activated_at = NULL"
            )
            let timing = LACoordinator.Timing(interval: .seconds(600), auditInterval: .seconds(60))
            try await harness.coordinate(settings: ["START_RATE": "0"], timing: timing) { _ in
                try await eventually("all run", within: .seconds(60)) {
                    try await harness.pool.query(
                        "SELECT 1 FROM live_activities WHERE status <> 'active' OR channel_id IS NULL LIMIT 1"
                    ).isEmpty
                }
            }
            #expect(await harness.apns.pushes.count { $0.event == "start" } == 2_500)
        }
    }

    @Test func aLevelThatChangesWhileTheStartIsOutMovesTheCard() async throws {
        try await Harness.withChannel { harness, coordinator, channel in
            await harness.apns.answer { push, count in
                if push.event == "start", count == 1 {
                    _ = try? await harness.pool.execute("UPDATE match_follows SET alerts = 'key'")
                }
                return StubAPNs.accepted
            }
            try await harness.follow("asha", listens: true)
            coordinator.activitiesChanged()
            try await eventually("it is started again, without that channel") {
                await harness.apns.pushes(to: Harness.startToken("asha")).map(\.inputChannel) == [channel, nil]
            }
        }
    }

    @Test func noCardIsMovedWhileAChannelOfItsMatchRests() async throws {
        try await Harness.withChannel { harness, coordinator, channel in
            try await harness.showListener("asha", coordinator)
            _ = try await harness.pool.execute(
                "UPDATE broadcast_channels SET rests_until = clock_timestamp() + interval '1 hour'")
            _ = try await harness.pool.execute("UPDATE match_follows SET alerts = 'key'")
            _ = try await harness.pool.execute("UPDATE live_activities SET renewal_due_at = clock_timestamp()")
            coordinator.activitiesChanged()
            try await harness.settle()
            #expect(
                await harness.apns.pushes(to: Harness.startToken("asha")).map(\.inputChannel) == [channel])
            // What was owed a minute ago is no news any more.
            _ = try await harness.pool.execute(
                "UPDATE live_activities SET renewal_due_at = clock_timestamp() - interval '1 minute'")
            coordinator.activitiesChanged()
            try await eventually("it is started again, without that channel") {
                await harness.apns.pushes(to: Harness.startToken("asha")).map(\.inputChannel) == [channel, nil]
            }
        }
    }

    @Test func noChannelIsMadeForAMatchThatIsOverByNow() async throws {
        try await Harness.with { harness in
            try await harness.askForChannel()
            try await harness.pool.execute("UPDATE active_matches SET settled_at = now(), ended_at = now()")
            #expect(
                try await ChannelStore(pool: harness.pool).claimCreations(harness.leases(), limit: 10).isEmpty)
        }
    }

    @Test func aStartWaitsForItsChannelAndThenGoesOutOnAToken() async throws {
        try await Harness.with { harness in
            try await harness.askForChannel()
            await harness.apns.refuseChannels(.serviceUnavailable)
            try await harness.coordinate { coordinator in
                try await harness.follow("asha", listens: true)
                coordinator.activitiesChanged()
                try await harness.settle()
                #expect(await harness.apns.pushes(to: Harness.startToken("asha")).isEmpty)
                try await harness.pool.execute(
                    "UPDATE live_activities SET created_at = clock_timestamp() - interval '6 seconds'")
                coordinator.activitiesChanged()
                try await eventually("it is started") {
                    let starts = await harness.apns.pushes(to: Harness.startToken("asha"))
                    return starts.count == 1 && starts[0].inputChannel == nil
                }
            }
        }
    }

    @Test(arguments: [(AlertLevel.all, true), (.key, false), (.none, false)])
    func anAlertIsPublishedOnceToThoseWhoWantIt(level: AlertLevel, isAlerted: Bool) async throws {
        try await Harness.with { harness in
            try await harness.askForChannel(level)
            try await harness.coordinate { coordinator in
                let channel = try await harness.openChannel(level)
                let update = try await harness.commit(alert: .milestone, value: 50)
                await coordinator.matchUpdated(MatchUpdated(update: update))
                try await eventually("the version is published") {
                    await harness.apns.pushes(to: channel).last?.version == update.version.rawValue
                }
            }
            // The next holder repeats the state, and not the alert.
            try await harness.coordinate(instance: "b") { _ in
                let before = await harness.apns.pushes.count
                try await eventually("the state is repeated") { await harness.apns.pushes.count > before }
                let alerts = await harness.apns.pushes.filter { $0.alert != nil }
                #expect(alerts.count == (isAlerted ? 1 : 0))
                #expect(alerts.allSatisfy { $0.priority == 10 })
            }
        }
    }

    @Test func a429RestsTheChannelAndTheNextHolderKnows() async throws {
        try await Harness.with { harness in
            try await harness.askForChannel()
            try await harness.coordinate { coordinator in
                let channel = try await harness.openChannel()
                await harness.apns.answer { push, _ in
                    push.token == channel ? StubAPNs.refusal(.tooManyRequests) : StubAPNs.accepted
                }
                await coordinator.matchUpdated(MatchUpdated(update: try await harness.commit()))
                try await eventually("what it taught is written") {
                    try await harness.channel("per_minute || ' ' || (rests_until > now() + interval '50 seconds')")
                        == "6 true"
                }
                await harness.apns.answer(nil)
            }
            let before = await harness.apns.pushes.count
            try await harness.coordinate(instance: "b") { coordinator in
                await coordinator.matchUpdated(MatchUpdated(update: try await harness.commit()))
                try await harness.settle()
                #expect(await harness.apns.pushes.count == before, "it rests")
                let wicket = try await harness.commit(alert: .wicket)
                await coordinator.matchUpdated(MatchUpdated(update: wicket))
                try await eventually("an alert breaks the rest") {
                    await harness.apns.pushes.last?.version == wicket.version.rawValue
                }
                let another = try await harness.commit(alert: .wicket)
                await coordinator.matchUpdated(MatchUpdated(update: another))
                try await eventually("each of them") {
                    await harness.apns.pushes.last?.version == another.version.rawValue
                }
                await coordinator.matchUpdated(MatchUpdated(update: try await harness.commit()))
                try await harness.settle()
                #expect(await harness.apns.pushes.count == before + 2, "and states do not")
            }
        }
    }

    @Test(arguments: [nil, 2])
    func aRefusedAlertIsTriedAgainWhileItIsFresh(retryAfter: Int?) async throws {
        try await Harness.withChannel { harness, coordinator, channel in
            await harness.apns.answer { push, _ in
                guard push.alert != nil else { return StubAPNs.accepted }
                return await harness.apns.pushes(to: channel).filter({ $0.alert != nil }).count > 2
                    ? StubAPNs.accepted : StubAPNs.refusal(.tooManyRequests, retryAfter: retryAfter)
            }
            let wicket = try await harness.commit(alert: .wicket)
            await coordinator.matchUpdated(MatchUpdated(update: wicket))
            try await eventually("it is refused") {
                await harness.apns.pushes(to: channel).contains { $0.alert != nil }
            }
            let fifty = try await harness.commit(alert: .milestone, value: 50)
            await coordinator.matchUpdated(MatchUpdated(update: fifty))
            try await eventually("it is published again, and then accepted") {
                await harness.apns.pushes(to: channel).filter { $0.alert != nil }.count == 3
            }
            try await harness.settle()
            let alerts = await harness.apns.pushes(to: channel).filter { $0.alert != nil }
            #expect(alerts.map(\.version) == [wicket, fifty, fifty].map { $0.version.rawValue })
            #expect(alerts.last?.alertBody == "b · wicket \(wicket.version.rawValue)")
            #expect(try await harness.channel("per_minute") == "6" || retryAfter != nil, "nothing is lengthened")
            #expect(try await harness.pool.query("SELECT FROM alert_claims").count == 2)
        }
    }

    @Test func anAlertThatGoesStaleWhileItsChannelRestsIsLost() async throws {
        let registry = PrometheusRegistry()
        func lost(_ count: Int) -> Bool { registry.text().contains("sightscreen_alerts_lost_total \(count)\n") }
        try await withMetricsFactory(registry) {
            try await Harness.withChannel { harness, coordinator, channel in
                await harness.apns.answer { push, _ in
                    push.alert == nil ? StubAPNs.accepted : StubAPNs.refusal(.tooManyRequests)
                }
                // It is news for two seconds more, and is tried again after three.
                let wicket = try await harness.commit(alert: .wicket, ageOfEvent: 28)
                await coordinator.matchUpdated(MatchUpdated(update: wicket))
                try await eventually("it is refused") {
                    await harness.apns.pushes(to: channel).contains { $0.alert != nil }
                }
                try await eventually("it is lost") { lost(1) }
                await harness.apns.answer(nil)
                await coordinator.matchUpdated(MatchUpdated(update: try await harness.commit(alert: .wicket)))
                try await eventually("the next one is told") {
                    await harness.apns.pushes(to: channel).filter { $0.alert != nil }.count == 2
                }
                try await harness.settle()
                #expect(lost(1))
            }
        }
    }

    @Test func listenersAreCountedAsPhones() async throws {
        let registry = PrometheusRegistry()
        try await Harness.with { harness in
            try await harness.crowd(3)
            try await harness.askForChannel()
            try await harness.pool.execute(
                "UPDATE broadcast_channels SET channel_id = 'Y2hhbm5lbA==', opened_at = now()")
            try await harness.pool.execute(
                "UPDATE live_activities SET update_token = NULL, channel_id = 'Y2hhbm5lbA=='")
            try await withMetricsFactory(registry) {
                try await harness.coordinate { coordinator in
                    try await eventually("they are known") { registry.text().contains("sightscreen_phones 3\n") }
                    await coordinator.matchUpdated(MatchUpdated(update: try await harness.commit()))
                    try await eventually("one publish reaches them") {
                        let note = try await InspectStore(pool: harness.pool).match(Harness.match)?.fanOut.first
                        return note?.version == 2 && note?.targeted == 3 && note?.sent == 1 && note?.accepted == 3
                    }
                }
            }
        }
    }

    @Test func theActivitiesOfAChannelThatIsGoneAreMoved() async throws {
        try await Harness.withChannel { harness, coordinator, channel in
            try await harness.showListener("asha", coordinator)
            await harness.apns.answer { push, _ in
                push.token == channel ? StubAPNs.refusal(.channelNotRegistered) : StubAPNs.accepted
            }
            await coordinator.matchUpdated(MatchUpdated(update: try await harness.commit()))
            try await eventually("it gets a start without a channel") {
                await harness.apns.pushes(to: Harness.startToken("asha")).last.map { $0.inputChannel == nil }
                    ?? false
            }
            #expect(try await harness.channel("lost_reason") == "ChannelNotRegistered")
            #expect(try await harness.status("asha") == "active none", "until the new token comes")
        }
    }

    @Test func withBroadcastsOffNoChannelIsMadeAndAllAreLost() async throws {
        try await Harness.with { harness in
            try await harness.askForChannel()
            try await harness.askForChannel(.key)
            await harness.apns.refuseChannels(.broadcastFeatureNotEnabled)
            try await harness.coordinate { _ in
                try await eventually("both are lost") {
                    try await harness.pool.query("SELECT FROM broadcast_channels WHERE lost_at IS NULL").isEmpty
                }
                let stops = try await harness.pool.query("SELECT environment, reason FROM broadcast_stops")
                #expect(try stops.map { try $0.string("reason") } == ["BroadcastFeatureNotEnabled"])
            }
        }
    }

    @Test func aMatchThatIsOverHasItsEndPublishedUntilTheChannelIsDeleted() async throws {
        try await Harness.with { harness in
            try await harness.askForChannel()
            try await harness.coordinate(settings: ["DISMISS_AFTER": "900s"]) { coordinator in
                let channel = try await harness.openChannel()
                try await harness.pool.execute(
                    "UPDATE active_matches SET settled_at = now(), ended_at = now(), display_state = 'completed'")
                try await eventually("the end is published") {
                    await harness.apns.pushes(to: channel).contains { $0.event == "end" }
                }
                try await eventually("the next is due a minute after the first") {
                    try await harness.channel(
                        "ends || ' ' || round(extract(epoch FROM end_due_at - ended_at))") == "1 60"
                }
                let end = try #require(await harness.apns.pushes(to: channel).last { $0.event == "end" })
                #expect(end.priority == 10 && end.expiration == 0 && end.alert == nil)
                // It is not published to any more.
                let count = await harness.apns.pushes(to: channel).count
                await coordinator.matchUpdated(MatchUpdated(update: try await harness.commit()))
                try await harness.settle()
                #expect(await harness.apns.pushes(to: channel).count == count)
                try await harness.pool.execute("UPDATE broadcast_channels SET end_due_at = now()")
                try await eventually("again, with the same dismissal") {
                    let ends = await harness.apns.pushes(to: channel).filter { $0.event == "end" }
                    return ends.count == 2 && ends[0].dismissAt == ends[1].dismissAt
                        && ends[0].timestamp < ends[1].timestamp
                }
                try await harness.pool.execute(
                    "UPDATE broadcast_channels SET ends = \(ChannelStore.endMinutes.count), end_due_at = NULL")
                try await eventually("it is deleted") {
                    let isNoted = try await harness.channel("deleted_at IS NOT NULL") == "true"
                    return await harness.apns.channels.isEmpty && isNoted
                }
            }
        }
    }

    @Test func atStumpsTheEndWaitsForWhatWasSaid() async throws {
        try await Harness.withChannel { harness, coordinator, channel in
            let stumps = try await harness.commit(alert: .stumps)
            try await harness.follow("asha", listens: true)
            try await harness.pool.execute("UPDATE active_matches SET at_stumps = true")
            try await harness.settle()
            await coordinator.matchUpdated(MatchUpdated(update: stumps))
            try await eventually("it is published") {
                await harness.apns.pushes(to: channel).contains { $0.alert != nil }
            }
            #expect(await harness.apns.pushes(to: channel).allSatisfy { $0.event == "update" })
            try await harness.pool.execute(
                "UPDATE live_activities SET status = 'ended', end_reason = 'match_end', ended_at = now()")
            try await eventually("the end follows") {
                await harness.apns.pushes(to: channel).last?.event == "end"
            }
        }
    }

    @Test func afterAnUnfollowThePhoneThatListensIsAskedToReconcile() async throws {
        try await Harness.with { harness in
            try await harness.follow("asha", listens: true)
            try await harness.pool.execute(
                """
                UPDATE live_activities SET status = 'ended', end_reason = 'user_unfollow', ended_at = now(),
                    channel_id = 'x'
                """)
            try await harness.pool.execute("DELETE FROM match_follows")
            try await harness.pool.execute("UPDATE devices SET device_token = 'dd', reconcile_due_at = now()")
            try await harness.coordinate { _ in
                try await eventually("it is asked") {
                    await harness.apns.pushes(to: "dd").map(\.wakesApp) == [true]
                }
            }
        }
    }

    @Test func aChannelThatRestsKeepsNoAlertFromThePhonesWithTokens() async throws {
        try await Harness.with { harness in
            try await harness.askForChannel()
            // More than one claim is for, on each loop.
            try await harness.crowd(4_000)
            try await harness.coordinate { coordinator in
                let channel = try await harness.openChannel()
                await harness.apns.answer { push, _ in
                    push.token == channel ? StubAPNs.refusal(.tooManyRequests) : StubAPNs.accepted
                }
                for _ in 0..<2 {
                    let wicket = try await harness.commit(alert: .wicket)
                    await coordinator.matchUpdated(MatchUpdated(update: wicket))
                    try await eventually("all are told") {
                        await harness.apns.pushes.count {
                            $0.token != channel && $0.alert != nil && $0.version == wicket.version.rawValue
                        } == 4_000
                    }
                }
            }
        }
    }

    @Test func switchedOffAnOpenChannelGoesOnToItsEnd() async throws {
        try await Harness.with { harness in
            try await harness.askForChannel()
            try await harness.askForChannel(.key)
            try await harness.pool.execute("UPDATE broadcast_channels SET channel_id = 'open' WHERE class = 0")
            try await harness.coordinate(settings: ["BROADCAST": "off"]) { coordinator in
                let update = try await harness.commit()
                await coordinator.matchUpdated(MatchUpdated(update: update))
                try await eventually("it is published to") {
                    await harness.apns.pushes(to: "open").last?.version == update.version.rawValue
                }
                try await harness.settle()
                #expect(await harness.apns.channels.isEmpty, "none is made")
                try await harness.pool.execute("UPDATE active_matches SET settled_at = now(), ended_at = now()")
                try await eventually("it is ended") {
                    await harness.apns.pushes(to: "open").last?.event == "end"
                }
            }
        }
    }

    @Test func anAcceptedStartIsResolvedWhenTheDatabaseIsBack() async throws {
        try await Harness.withChannel { harness, coordinator, channel in
            // What records it fails until the trigger is gone.
            try await harness.pool.execute(
                """
                CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
                    $$ BEGIN RAISE EXCEPTION 'not now'; END $$;
                """)
            try await harness.pool.execute(
                """
                CREATE TRIGGER refuse BEFORE UPDATE ON live_activities FOR EACH ROW
                    WHEN (NEW.status = 'active') EXECUTE FUNCTION refuse()
                """)
            try await harness.follow("asha", listens: true)
            coordinator.activitiesChanged()
            try await eventually("it is started") {
                await !harness.apns.pushes(to: Harness.startToken("asha")).isEmpty
            }
            try await harness.settle()
            #expect(try await harness.status("asha") == "pending none")
            try await harness.pool.execute("DROP TRIGGER refuse ON live_activities")
            try await eventually("the activity runs") { try await harness.status("asha") == "active none" }
            #expect(await harness.apns.pushes(to: Harness.startToken("asha")).count == 1)
        }
    }

    @Test func aHoldKeepsPublishesFromLeaving() async throws {
        try await Harness.withChannel { harness, coordinator, channel in
            try await harness.hold(.pushes, of: coordinator)
            try await harness.settle()
            let count = await harness.apns.pushes(to: channel).count
            await coordinator.matchUpdated(MatchUpdated(update: try await harness.commit()))
            try await harness.settle()
            #expect(await harness.apns.pushes(to: channel).count == count)
        }
    }

    @Test func aCreationIsClaimedByOneProcessAndForATime() async throws {
        try await Harness.with { harness in
            try await harness.askForChannel()
            let store = ChannelStore(pool: harness.pool)
            let leases = try await harness.leases()
            let first = try await store.claimCreations(leases, limit: 10)
            #expect(first.count == 1)
            #expect(try await store.claimCreations(leases, limit: 10).isEmpty, "a call is under way")
            let key = try #require(first.first?.key)
            try await harness.pool.execute("UPDATE broadcast_channels SET call_until = now() - interval '1 second'")
            #expect(try await store.claimCreations(leases, limit: 10).count == 1, "the answer was lost")
            #expect(try await store.opened(key, ChannelID("one"), leases))
            #expect(try await !store.opened(key, ChannelID("two"), leases), "the other one is deleted")
            var stale = leases
            for index in stale.indices { stale[index].epoch -= 1 }
            try await harness.pool.execute("UPDATE broadcast_channels SET channel_id = NULL, call_until = NULL")
            #expect(try await store.claimCreations(stale, limit: 10).isEmpty)
            #expect(try await !store.opened(key, ChannelID("two"), stale), "under a stale epoch")
        }
    }
}

extension Harness {
    /// What the orchestrator does when a class of followers is large enough.
    func askForChannel(_ level: AlertLevel = .all) async throws {
        try await pool.execute(
            """
            INSERT INTO broadcast_channels (match_id, environment, class, generation, shard)
            VALUES ($1, 'production', $2, 1, 7)
            """, [.int(Self.match.rawValue), .int(AudienceClass(level).rawValue)])
    }

    /// A match with a channel, and a coordinator that has had it made.
    static func withChannel(
        _ body: (Harness, LACoordinator, String) async throws -> Void
    ) async throws {
        try await with { harness in
            try await harness.askForChannel()
            try await harness.coordinate { coordinator in
                try await body(harness, coordinator, try await harness.openChannel())
            }
        }
    }

    /// Follows with a phone that can listen, and waits until its card is on the channel.
    func showListener(_ name: String, _ coordinator: LACoordinator) async throws {
        try await follow(name, listens: true)
        coordinator.activitiesChanged()
        try await eventually("the activity runs") { try await status(name) == "active none" }
    }

    /// Waits until APNs has made the channel.
    func openChannel(_ level: AlertLevel = .all) async throws -> String {
        try await eventually("the channel is there") {
            try await pool.query("SELECT FROM broadcast_channels WHERE channel_id IS NULL").isEmpty
        }
        return try await pool.query(
            "SELECT channel_id FROM broadcast_channels WHERE class = $1", [.int(AudienceClass(level).rawValue)]
        )[0].string("channel_id")
    }

    func channel(_ column: String) async throws -> String? {
        try await pool.query("SELECT (\(column))::text AS value FROM broadcast_channels")[0].optionalString("value")
    }

    func leases() async throws -> [ShardLease] {
        try await LeaseStore(pool: pool).acquire(
            (0..<DeviceRoute.shardCount).map { LeaseName.shard($0) }, holder: "test", duration: .seconds(600)
        ).compactMap { ShardLease($0) }
    }
}
