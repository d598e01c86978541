import MatchOrchestrator
import LACoordinator
import APIGateway
import Activities
import Postgres
import SightscreenModels
import Store
import TestKit
import Testing

/// A card's update token is dead, and only the phone knows why.
@Suite struct ReconcileTests {
    private static let match = MatchID(1)
    private static let user = UserID("ann")
    private static let phone = DeviceID("phone")
    private static let card = ActivityID("card-1")
    private static let start = StartID("start-1")

    private struct Harness {
        var pool: PostgresPool
        var orchestrator: Lease
        var shards: [ShardLease]
        var activities: ActivityStore { ActivityStore(pool: pool) }
        var store: OrchestratorStore { OrchestratorStore(pool: pool) }

        /// Ann's phone shows a card of a match in play.
        init(_ pool: PostgresPool) async throws {
            self.pool = pool
            let held = try await LeaseStore(pool: pool).acquire(
                [.orchestrator] + (0..<64).map { .shard($0) }, holder: "test/1", duration: .seconds(600))
            orchestrator = try #require(held.first { $0.name == .orchestrator })
            shards = held.compactMap { ShardLease($0) }
            try await pool.execute(
                """
                INSERT INTO active_matches (match_id, display_state, version, stamp, content_state, went_live_at)
                VALUES (1, 'live', 1, 100, '{}', clock_timestamp() - interval '1 hour')
                """)
            _ = try await DeviceStore(pool: pool).register(
                DeviceRegistration(deviceId: phone), token: .set(DeviceToken("dd01")), user: user)
            _ = try await DeviceStore(pool: pool).register(
                PushToStartRegistration(pushToStartToken: PushToStartToken("aa01"), deviceId: phone), user: user)
            try await follow()
            let claim = try #require(try await claimStarts().first)
            try await pool.execute("UPDATE live_activities SET start_id = $1", [.text(start.rawValue)])
            #expect(claim.key.generation == 1)
            #expect(try await register("ee01") == .activate(generation: 1))
        }

        func follow() async throws {
            _ = try await FollowStore(pool: pool).follow(FollowRequest(matchId: match), user: user)
        }

        func claimStarts() async throws -> [StartClaim] {
            try await activities.claimStarts(shards, limit: 100, lease: .seconds(120))
        }

        func register(_ token: String, _ activity: ActivityID? = card) async throws -> ActivityTokenRule.Action {
            try await ActivityTokenStore(pool: pool).register(
                ActivityTokenRequest(activityToken: UpdateToken(token), deviceId: phone, activityId: activity),
                match: match, user: user
            ).action
        }

        /// APNs says so, some minutes after the card began.
        func die(_ token: String = "ee01", after minutes: Int = 1) async throws {
            try await pool.execute(
                """
                UPDATE live_activities SET token_at = token_at - $1::bigint * interval '1 minute',
                    start_sent_at = start_sent_at - $1::bigint * interval '1 minute',
                    activated_at = activated_at - $1::bigint * interval '1 minute'
                WHERE status = 'active'
                """, [.int(minutes)])
            let row = try await pool.query(
                "SELECT extract(epoch FROM token_at)::double precision AS at FROM live_activities WHERE update_token = $1",
                [.text(token)])[0]
            try await activities.retire([.init(match: match, token: UpdateToken(token), tokenAt: try row.double("at"))])
        }

        func pass() async throws {
            for match in try await store.liveMatches(lead: .zero) {
                _ = try await store.createPending(for: match, under: orchestrator)
            }
            _ = try await store.moveFallbacks(StartFallback(), under: orchestrator)
        }

        /// - Parameter bootedAgo: seconds.
        func report(
            _ activities: [RunningActivity]?, bootedAgo: Int? = nil
        ) async throws -> DeviceStore.Cards {
            let now = Int(try await self.activities.now())
            return try await DeviceStore(pool: pool).register(
                DeviceRegistration(deviceId: phone, activities: activities, bootedAt: bootedAgo.map { now - $0 }),
                token: .keep, user: user
            ).cards
        }

        func asked() async throws -> [StartFallback.Step] {
            try await activities.claimFallbacks(shards, limit: 10).map(\.step)
        }

        func rows() async throws -> [String] {
            try await pool.query(
                """
                SELECT concat_ws(' ', generation, status, end_reason, card) AS line FROM live_activities
                ORDER BY generation
                """
            ).map { try $0.string("line") }
        }

        func isFollowed() async throws -> Bool { try await !pool.query("SELECT FROM match_follows").isEmpty }
    }

    private func with(_ body: (Harness) async throws -> Void) async throws {
        try await withDatabase { (pool: PostgresPool) async throws in try await body(try await Harness(pool)) }
    }

    private static let shown = RunningActivity(matchId: match, activityId: card, startId: start, state: .active)

    /// Of cards that listen to channels one stays: a renewal that has arrived, else the one that has a record, else the
    /// one on the follow's channel, else the last.
    @Test(arguments: [
        ("UPDATE live_activities SET activity_id = 'new'", "old"),
        ("UPDATE live_activities SET activity_id = 'old', renewal_start_id = 'second'", "old"),
        ("UPDATE live_activities SET activity_id = NULL, start_id = 'first'", "new"),
        ("UPDATE live_activities SET activity_id = NULL, start_id = 'other'", "old"),
        ("DELETE FROM live_activities", "old"),
    ])
    func ofCardsThatListenOneStays(known: String, ended: String) async throws {
        try await with { harness in
            try await harness.pool.execute(
                """
                INSERT INTO broadcast_channels (match_id, environment, class, generation, shard, channel_id)
                VALUES (1, 'production', 0, 1, 1, 'own')
                """)
            try await harness.pool.execute(known)
            let cards = [("old", "first", "other"), ("new", "second", "own")].map { activity, start, channel in
                RunningActivity(
                    matchId: Self.match, activityId: ActivityID(activity), startId: StartID(start),
                    channel: ChannelID(channel))
            }
            #expect(try await harness.report(cards).end == [ActivityID(ended)])
            #expect(try await harness.report(Array(cards.reversed())).end == [ActivityID(ended)])
        }
    }

    /// A result that lingers, or a card that the system has ended, is none that could stay.
    @Test func aCardThatIsOverIsNotTheOneThatStays() async throws {
        try await with { (harness: Harness) async throws -> Void in
            try await harness.pool.execute("UPDATE live_activities SET channel_id = 'own', update_token = NULL")
            let over = RunningActivity(
                matchId: Self.match, activityId: Self.card, startId: Self.start, state: .ended,
                channel: ChannelID("own"))
            let listening = RunningActivity(
                matchId: Self.match, activityId: ActivityID("listens"), channel: ChannelID("own"))
            let cards = try await harness.report([over, listening])
            #expect(cards.end == [])
        }
    }

    @Test func aCardThatListensGivesWayToOneWithAToken() async throws {
        try await with { (harness: Harness) async throws -> Void in
            let listening = RunningActivity(
                matchId: Self.match, activityId: ActivityID("listens"), startId: StartID("later"),
                channel: ChannelID("own"))
            let cards = try await harness.report([Self.shown, listening])
            #expect(cards.end == [ActivityID("listens")])
        }
    }

    @Test func aDeadTokenEndsTheCardStartsNothingAndAsksThePhoneOnce() async throws {
        try await with { harness in
            try await harness.die()
            #expect(try await harness.rows() == ["1 ended token_invalid unknown"])
            #expect(try await harness.asked() == [.silent])
            for _ in 0..<3 {
                try await harness.pass()
                #expect(try await harness.claimStarts().isEmpty)
                #expect(try await harness.asked().isEmpty)
            }
            // The app is awake and says nothing of its cards: nothing, either.
            _ = try await harness.report(nil, bootedAgo: 1)
            try await harness.pass()
            #expect(try await harness.rows() == ["1 ended token_invalid unknown"])
        }
    }

    /// A sign-out: the app takes the cards off, a push meets that, and then the phone is unregistered.
    @Test func aCardThatASignOutTookOffIsNotMissedByWhoComesBack() async throws {
        try await with { harness in
            try await harness.die()
            _ = try await DeviceStore(pool: harness.pool).unregister(Self.phone.rawValue, user: Self.user)
            #expect(try await harness.rows() == ["1 ended token_invalid"])
            _ = try await DeviceStore(pool: harness.pool).register(
                PushToStartRegistration(pushToStartToken: PushToStartToken("aa01"), deviceId: Self.phone),
                user: Self.user)
            #expect(try await harness.report([]).gone.isEmpty)
            #expect(try await harness.rows() == ["1 ended token_invalid", "2 pending"])
        }
    }

    @Test func aPhoneWithoutADeviceTokenIsNotToBeAsked() async throws {
        try await with { harness in
            try await harness.pool.execute("UPDATE devices SET device_token = NULL")
            try await harness.die()
            #expect(try await harness.rows() == ["1 ended token_invalid unknown"])
            #expect(try await harness.pool.query("SELECT FROM devices WHERE reconcile_due_at IS NOT NULL").isEmpty)
        }
    }

    @Test func whatWasDueForADayIsForgotten() async throws {
        try await with { harness in
            try await harness.die()
            for (hours, isDue) in [(23, true), (25, false)] {
                try await harness.pool.execute(
                    "UPDATE devices SET reconcile_due_at = clock_timestamp() - $1::bigint * interval '1 hour'",
                    [.int(hours)])
                try await harness.store.purge(after: .seconds(3_600), under: harness.orchestrator)
                let due = try await harness.pool.query("SELECT FROM devices WHERE reconcile_due_at IS NOT NULL")
                #expect(due.isEmpty == !isDue)
            }
        }
    }

    @Test func aCardThatWasSwipedAwayStaysAwayUntilTheUserAsksForIt() async throws {
        try await with { harness in
            try await harness.die()
            #expect(try await harness.report([], bootedAgo: 90_000).gone == [Self.match])
            // Not even a restart later on brings it back.
            #expect(try await harness.report([], bootedAgo: -10).gone == [Self.match])
            try await harness.pass()
            #expect(try await harness.rows() == ["1 ended token_invalid gone"])
            #expect(try await harness.isFollowed())
            #expect(try await harness.asked().isEmpty)
            try await harness.follow()
            #expect(try await harness.rows() == ["1 ended token_invalid", "2 pending"])
            #expect(try await harness.claimStarts().count == 1)
        }
    }

    @Test(arguments: [
        // Restarted since; too old; ended by the app or the system; none of it.
        (1, 30, false, true), (451, nil, false, true), (1, nil, true, true), (1, 90, false, false),
        (449, nil, false, false), (1, nil, false, false),
    ])
    func aCardThatWasLostIsStartedAtOnce(minutes: Int, bootedAgo: Int?, isListed: Bool, isLost: Bool) async throws {
        try await with { harness in
            try await harness.die(after: minutes)
            var over = Self.shown
            over.state = .ended
            let cards = try await harness.report(isListed ? [over] : [], bootedAgo: bootedAgo)
            #expect(cards.gone == (isLost ? [] : [Self.match]))
            #expect(
                try await harness.rows()
                    == (isLost ? ["1 ended token_invalid", "2 pending"] : ["1 ended token_invalid gone"]))
            #expect(try await harness.claimStarts().count == (isLost ? 1 : 0))
        }
    }

    /// By the app, because it was stale, or by the system: APNs may say so much later.
    @Test func aCardThatWasEndedIsStartedAnewAtOnce() async throws {
        try await with { harness in
            var over = Self.shown
            over.state = .ended
            _ = try await harness.report([over])
            #expect(try await harness.rows() == ["1 ended token_invalid", "2 pending"])
            #expect(try await harness.claimStarts().count == 1)
        }
    }

    /// iOS takes all cards away; allowed again, they come back.
    @Test func aCardThatWasForbiddenIsNoSwipe() async throws {
        try await with { harness in
            try await harness.die()
            for isAllowed in [false, true] {
                _ = try await DeviceStore(pool: harness.pool).register(
                    DeviceRegistration(deviceId: Self.phone, liveActivitiesEnabled: isAllowed, activities: []),
                    token: .keep, user: Self.user)
                #expect(
                    try await harness.rows()
                        == (isAllowed ? ["1 ended token_invalid", "2 pending"] : ["1 ended token_invalid"]))
            }
        }
    }

    @Test func aCardThatIsThereGoesOnUnderItsNextToken() async throws {
        try await with { harness in
            try await harness.die(after: 100)
            let cards = try await harness.report([Self.shown])
            #expect(cards.tokensWanted == [Self.card] && cards.end.isEmpty)
            try await harness.pass()
            #expect(try await harness.rows() == ["1 ended token_invalid unknown"])
            #expect(try await harness.register("ee02") == .adopt)
            #expect(try await harness.rows() == ["1 ended token_invalid unknown", "2 active"])
            let age = try await harness.pool.query(
                """
                SELECT extract(epoch FROM clock_timestamp() - activated_at)::bigint AS age FROM live_activities
                WHERE generation = 2
                """)[0].int("age")
            #expect(age >= 6_000, "iOS counts on")
            try await harness.pass()
            #expect(try await harness.claimStarts().isEmpty)
            let next = try await harness.report([Self.shown])
            #expect(next.end.isEmpty && next.tokensWanted.isEmpty && next.gone.isEmpty)
        }
    }

    /// The commonest case: the token was rotated, and APNs was quicker than the phone.
    @Test func theNextTokenIsEnoughWithoutAList() async throws {
        try await with { harness in
            try await harness.die()
            #expect(try await harness.register("ee01") == .end(generation: 1), "the dead one proves nothing")
            #expect(try await harness.register("ee02") == .adopt)
            #expect(try await harness.rows().last == "2 active")
        }
    }

    @Test func aDismissalThatTheAppSawIsAnUnfollow() async throws {
        try await with { harness in
            try await harness.die()
            var dismissed = Self.shown
            dismissed.state = .dismissed
            _ = try await harness.report([dismissed])
            #expect(try await !harness.isFollowed())
            try await harness.pass()
            #expect(try await harness.claimStarts().isEmpty)
        }
    }

    @Test(arguments: [
        "DELETE FROM match_follows", "UPDATE live_activities SET status = 'ended', end_reason = 'user_dismissed'",
        "UPDATE active_matches SET ended_at = clock_timestamp() - interval '1 hour'",
    ])
    func whatShouldNotBeThereIsToEnd(change: String) async throws {
        try await with { harness in
            #expect(try await harness.report([Self.shown]).end.isEmpty)
            try await harness.pool.execute(change)
            #expect(try await harness.report([Self.shown]).end == [Self.card])
        }
    }

    @Test func aResultMayLinger() async throws {
        try await with { harness in
            try await harness.pool.execute("UPDATE active_matches SET ended_at = clock_timestamp()")
            _ = try await harness.store.endActivities(hold: .zero, under: harness.orchestrator)
            #expect(try await harness.report([Self.shown]).end.isEmpty)
        }
    }

    @Test func aPhoneIsAskedOnceAnHourAndAgainWhenItCertainlyWasNotReached() async throws {
        try await with { harness in
            for token in ["ee01", "ee02"] {
                if token != "ee01" { #expect(try await harness.register(token) == .adopt) }
                try await harness.die(token)
                let claims = try await harness.activities.claimFallbacks(harness.shards, limit: 10)
                #expect(claims.count == (token == "ee02" ? 0 : 1))
                guard token == "ee01", let claim = claims.first else { continue }
                try await harness.activities.releaseFallback(claim, after: .seconds(1))
                #expect(try await harness.asked().isEmpty, "not at once")
                try await harness.pool.execute("UPDATE devices SET reconcile_due_at = clock_timestamp()")
                #expect(try await harness.asked() == [.silent])
            }
            // The fall-back of a start comes to its step without a push.
            try await harness.pool.execute(
                "UPDATE devices SET reconcile_sent_at = reconcile_sent_at - interval '1 hour'")
            #expect(try await harness.asked() == [.silent])
        }
    }
}
