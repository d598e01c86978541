import MatchOrchestrator
import MatchEventBus
import LACoordinator
import APIGateway
import Activities
import Cricket
import Postgres
import SightscreenModels
import Store
import TestKit
import Testing

/// What happens to a follower's phone over a whole match, through the stores of all who have a part in it.
@Suite struct WholeLifeTests {
    private static let match = MatchID(1_304_076)
    private static let user = UserID("ann")
    private static let phone = DeviceID("phone")

    private struct Harness {
        var pool: PostgresPool
        var orchestrator: Lease
        var bus: Lease
        var shards: [ShardLease]
        var store: OrchestratorStore { OrchestratorStore(pool: pool) }
        var activities: ActivityStore { ActivityStore(pool: pool) }

        init(_ pool: PostgresPool) async throws {
            self.pool = pool
            let held = try await LeaseStore(pool: pool).acquire(
                [.orchestrator, .match(match)] + (0..<64).map { .shard($0) }, holder: "test/1", duration: .seconds(600))
            orchestrator = try #require(held.first { $0.name == .orchestrator })
            bus = try #require(held.first { $0.name == .match(match) })
            shards = held.compactMap { ShardLease($0) }
            try await commit(.live)
            try await pool.execute("UPDATE active_matches SET went_live_at = clock_timestamp() - interval '1 hour'")
            _ = try await DeviceStore(pool: pool).register(
                DeviceRegistration(deviceId: phone, platform: "ios"), token: .set(DeviceToken("dd01")), user: user)
            _ = try await DeviceStore(pool: pool).register(
                PushToStartRegistration(pushToStartToken: PushToStartToken("aa01"), deviceId: phone), user: user)
            try await follow()
        }

        func follow() async throws {
            _ = try await FollowStore(pool: pool).follow(FollowRequest(matchId: match), user: user)
        }

        /// A version, as event-bus commits it.
        func commit(_ state: MatchDisplayState, settled: Bool = false, stumps: Bool = false) async throws {
            let matches = MatchStore(pool: pool)
            // As if a while had passed since the one before: stamps do not run ahead.
            try await pool.execute("UPDATE active_matches SET stamp = stamp - 60")
            try await pool.execute("DELETE FROM match_updates")
            _ = try await matches.commit(
                MatchCommit(
                    matchID: match, lease: bus,
                    previousVersion: try await matches.load(match)?.version ?? MatchVersion(0),
                    displayState: state, contentState: "{}", events: "[]", retracted: "[]", alert: nil, priority: 5,
                    relevance: 50, machine: "{}", atStumps: stumps, isSuspended: state == .suspended,
                    isLive: state != .completed && state != .abandoned, isSettled: settled,
                    phase: stumps ? "stumps" : "innings", isBreak: stumps || state == .inningsBreak))
        }

        /// What a pass of the orchestrator does.
        func pass() async throws {
            _ = try await store.endSettledMatches(hold: .zero, under: orchestrator)
            _ = try await store.endActivities(hold: .zero, under: orchestrator)
            _ = try await store.endOutlived(under: orchestrator)
            _ = try await store.giveUpStarts(under: orchestrator)
            for match in try await store.liveMatches(lead: .zero) {
                _ = try await store.createPending(for: match, under: orchestrator)
            }
            _ = try await store.moveFallbacks(StartFallback(), under: orchestrator)
        }

        func claimStarts() async throws -> [StartClaim] {
            try await activities.claimStarts(shards, limit: 100, lease: .seconds(120))
        }

        func register(_ token: String, _ activity: String, _ start: StartID?) async throws -> ActivityTokenRule.Action {
            try await ActivityTokenStore(pool: pool).register(
                ActivityTokenRequest(
                    activityToken: UpdateToken(token), deviceId: phone, activityId: ActivityID(activity), startId: start
                ),
                match: match, user: user
            ).action
        }

        /// As if the database's clock had gone on by this.
        func goOn(minutes: Int) async throws {
            for (table, columns) in [
                ("devices", ["fallback_at", "fallback_began_at", "visible_push_at", "push_to_start_token_at"]),
                (
                    "live_activities",
                    ["start_sent_at", "start_lease_until", "start_given_up_at", "created_at", "activated_at"]
                ),
            ] {
                let changes = columns.map { "\($0) = \($0) - $1::bigint * interval '1 minute'" }
                try await pool.execute(
                    "UPDATE \(table) SET \(changes.joined(separator: ", "))", [.int(minutes)])
            }
        }

        func rows() async throws -> [String] {
            try await pool.query(
                """
                SELECT concat_ws(' ', generation, status, end_reason, end_push) AS line FROM live_activities
                ORDER BY generation
                """
            ).map { try $0.string("line") }
        }
    }

    private func with(_ body: (Harness) async throws -> Void) async throws {
        try await withDatabase { (pool: PostgresPool) async throws in try await body(try await Harness(pool)) }
    }

    /// A phone that is off, or was thrown away: for a day and a half nobody answers.
    @Test func aPhoneThatNeverAnswersGetsThreeStartsAndTwoPushesHoweverLongTheMatchGoesOn() async throws {
        try await with { harness in
            var starts: [Int] = []
            var pushes: [StartFallback.Step] = []
            for step in 0..<540 {
                try await harness.pass()
                for _ in try await harness.claimStarts() { starts.append(step * 4) }
                pushes += try await harness.activities.claimFallbacks(harness.shards, limit: 10).map(\.step)
                try await harness.goOn(minutes: 4)
            }
            #expect(starts == [0, 4, 8], "after 2 and 4 minutes, looked at every 4")
            #expect(pushes == [.silent, .visible])
            #expect(try await harness.rows() == ["1 pending none"])
            // The app is opened: at once.
            _ = try await DeviceStore(pool: harness.pool).register(
                PushToStartRegistration(pushToStartToken: PushToStartToken("aa01"), deviceId: Self.phone),
                user: Self.user)
            let start = try #require(try await harness.claimStarts().first)
            #expect(try await harness.register("ee01", "first", start.startID) == .activate(generation: 1))
            try await harness.pass()
            #expect(try await harness.store.fallbackCounts() == [.silent: 0, .visible: 0, .passive: 0])
        }
    }

    @Test func aMatchThatReopensStartsANewGeneration() async throws {
        try await with { harness in
            let start = try #require(try await harness.claimStarts().first)
            #expect(try await harness.register("ee01", "first", start.startID) == .activate(generation: 1))
            try await harness.commit(.completed, settled: true)
            try await harness.pass()
            #expect(try await harness.rows() == ["1 ended match_end due"])
            try await harness.pass()
            #expect(try await harness.claimStarts().isEmpty)
            // The provider takes the result back.
            try await harness.commit(.live)
            try await harness.pass()
            #expect(try await harness.rows() == ["1 ended match_end due", "2 pending none"])
            let again = try #require(try await harness.claimStarts().first)
            // The old activity's token comes late: it gets its end and nothing else.
            #expect(try await harness.register("ee02", "first", start.startID) == .end(generation: 1))
            #expect(try await harness.register("ee03", "second", again.startID) == .activate(generation: 2))
        }
    }

    @Test func eachDayOfATestHasAGenerationAndNoneIsStartedAtNight() async throws {
        try await with { harness in
            for day in 1...5 {
                try await harness.commit(.live)
                try await harness.pass()
                let start = try #require(try await harness.claimStarts().first)
                #expect(start.key.generation == day)
                #expect(
                    try await harness.register("ee0\(day)", "day \(day)", start.startID) == .activate(generation: day))
                // Rain, and play goes on: the same activity.
                for state in [MatchDisplayState.suspended, .live] {
                    try await harness.commit(state)
                    try await harness.pass()
                    #expect(try await harness.rows().last == "\(day) active none")
                }
                try await harness.commit(.live, stumps: true)
                try await harness.pass()
                try await harness.pass()
                #expect(try await harness.rows().last == "\(day) ended match_end due")
                #expect(try await harness.claimStarts().isEmpty)
                try await harness.goOn(minutes: 960)
            }
        }
    }

    /// Follow, unfollow, follow: a start of the first may be out all the while.
    @Test func followingAgainIsANewBeginning() async throws {
        try await with { harness in
            let first = try #require(try await harness.claimStarts().first)
            let follows = FollowStore(pool: harness.pool)
            try await follows.unfollow(Self.match, user: Self.user)
            #expect(try await harness.claimStarts().isEmpty)
            try await harness.follow()
            #expect(try await harness.rows() == ["1 ended user_unfollow none", "2 pending none"])
            let second = try #require(try await harness.claimStarts().first)
            #expect(second.key.generation == 2 && second.startID != first.startID)
            // Both appear: one stays.
            #expect(try await harness.register("ee01", "first", first.startID) == .end(generation: 1))
            #expect(try await harness.register("ee02", "second", second.startID) == .activate(generation: 2))
            #expect(try await harness.rows() == ["1 ended user_unfollow due", "2 active none"])
            try await harness.pass()
            #expect(try await harness.claimStarts().isEmpty)
        }
    }

    /// The user forbids activities while the lease of a start still runs.
    /// - Parameters:
    ///   - isGivenUp: APNs refused that start for good.
    ///   - runs: the app says that it shows one all the same.
    @Test(arguments: [
        (true, false, "1 ended token_invalid none"), (true, true, "1 pending none"), (false, false, "1 pending none"),
    ])
    func aStartThatWasGivenUpDoesNotWaitForItsLease(isGivenUp: Bool, runs: Bool, row: String) async throws {
        try await with { harness in
            let start = try #require(try await harness.claimStarts().first)
            if isGivenUp { try await harness.activities.giveUpStart(start) }
            _ = try await DeviceStore(pool: harness.pool).register(
                DeviceRegistration(
                    deviceId: Self.phone, platform: "ios", liveActivitiesEnabled: false,
                    activities: runs ? [RunningActivity(matchId: Self.match)] : []),
                token: .keep, user: Self.user)
            #expect(try await harness.rows() == [row])
        }
    }

    /// A start is tried again under another name, and both arrive in the end.
    @Test(arguments: [false, true]) func ofTwoTriesThatBothArriveOneActivityIsLeft(newerIsFirst: Bool) async throws {
        try await with { harness in
            let first = try #require(try await harness.claimStarts().first)
            try await harness.goOn(minutes: 3)
            let second = try #require(try await harness.claimStarts().first)
            #expect(first.startID != second.startID)
            if newerIsFirst {
                #expect(try await harness.register("ee02", "second", second.startID) == .activate(generation: 1))
                #expect(try await harness.register("ee01", "first", first.startID) == .end(generation: nil))
                #expect(try await harness.rows() == ["1 active none", "2 ended match_end due"])
            } else {
                #expect(try await harness.register("ee01", "first", first.startID) == .activate(generation: 1))
                #expect(try await harness.register("ee0a", "first", first.startID) == .rotate(generation: 1))
                #expect(try await harness.register("ee02", "second", second.startID) == .replace(generation: 1))
                #expect(try await harness.rows() == ["1 ended match_end due", "2 active none"])
            }
            // It can be neither started nor ended again by what comes late.
            try await harness.pass()
            #expect(try await harness.claimStarts().isEmpty)
            let again = try await harness.register("ee02", "second", second.startID)
            #expect(again == .keep(generation: newerIsFirst ? 1 : 2))
        }
    }

    @Test func whatHappensOnOnePhoneLeavesTheOtherAlone() async throws {
        try await with { harness in
            let pad = DeviceID("pad")
            _ = try await DeviceStore(pool: harness.pool).register(
                PushToStartRegistration(pushToStartToken: PushToStartToken("aa02"), deviceId: pad), user: Self.user)
            let starts = try await harness.claimStarts()
            #expect(starts.map(\.key.deviceID.rawValue).sorted() == ["pad", "phone"])
            let own = try #require(starts.first { $0.key.deviceID == Self.phone })
            #expect(try await harness.register("ee01", "first", own.startID) == .activate(generation: 1))
            var records: [ActivityRecord] = []
            try await harness.activities.roster(shards: [own.route.shard]) { records += $0 }
            let record = try #require(records.first { $0.key == own.key })
            // Said of another registration of it.
            func dead(_ tokenAt: Double) -> DeadToken {
                .init(match: own.key.matchID, token: UpdateToken("ee01"), tokenAt: tokenAt)
            }
            try await harness.activities.retire([dead(record.tokenAt - 0.001)])
            try await harness.pass()
            #expect(try await harness.claimStarts().isEmpty)
            try await harness.activities.retire([dead(record.tokenAt)])
            try await harness.pass()
            #expect(try await harness.claimStarts().isEmpty, "a swipe says no more than this")
            _ = try await DeviceStore(pool: harness.pool).register(
                DeviceRegistration(deviceId: Self.phone, activities: [], bootedAt: Int(record.tokenAt) + 5),
                token: .keep, user: Self.user)
            let again = try await harness.claimStarts()
            #expect(again.map(\.key.deviceID) == [Self.phone], "the pad's start is still out")
            #expect(again.first?.key.generation == 2)
        }
    }

    /// Another user has the phone, and the first was not seen for a week. Nothing is started there any more, and what
    /// runs is left to the phone: its list names a card that the new user does not follow.
    @Test func anotherUserOnThePhoneIsToldToEndWhatRunsThere() async throws {
        try await with { harness in
            let start = try #require(try await harness.claimStarts().first)
            _ = try await harness.register("ee01", "first", start.startID)
            try await harness.pool.execute("UPDATE devices SET last_seen_at = last_seen_at - interval '7 days'")
            _ = try await DeviceStore(pool: harness.pool).register(
                PushToStartRegistration(pushToStartToken: PushToStartToken("aa01"), deviceId: Self.phone),
                user: UserID("ben"))
            #expect(try await harness.rows() == ["1 active none"])
            let listed = try await DeviceStore(pool: harness.pool).register(
                DeviceRegistration(
                    deviceId: Self.phone,
                    activities: [RunningActivity(matchId: Self.match, activityId: ActivityID("first"))]),
                token: .keep, user: UserID("ben"))
            #expect(listed.cards.end == [ActivityID("first")])
            try await harness.pass()
            #expect(try await harness.claimStarts().isEmpty)
        }
    }

    @Test func aFixtureThatVanishesAndReturnsInPlayStartsAgain() async throws {
        try await withDatabase { (pool: PostgresPool) async throws in
            let harness = try await Harness(pool)
            try await pool.execute("DELETE FROM active_matches")
            try await pool.execute(
                """
                INSERT INTO fixtures (match_id, league_id, competition, format, status, starts_at, home_id, home_name,
                    home_code, away_id, away_name, away_code)
                VALUES ($1, 1, 'IPL', 'twenty20', '1st Innings', now(), 1, 'A', 'A', 2, 'B', 'B')
                """, [.int(Self.match.rawValue)])
            func called() async throws -> [MatchID] {
                try await harness.store.calledOffMatches(quiet: .zero).map(\.matchID)
            }
            // Missed by one sync only.
            try await pool.execute("UPDATE fixtures SET missing_since = synced_at + interval '1 second'")
            #expect(try await called().isEmpty)
            #expect(try await harness.store.liveMatches(lead: .zero).isEmpty)
            #expect(try await harness.rows() == ["1 pending none"])
            try await pool.execute("UPDATE fixtures SET synced_at = missing_since + interval '30 seconds'")
            #expect(try await called() == [Self.match])
            _ = try await harness.store.endActivities(
                hold: .zero, calledOff: try await called(), under: harness.orchestrator)
            #expect(try await harness.rows() == ["1 ended match_end none"])
            try await pool.execute("UPDATE fixtures SET missing_since = NULL, synced_at = clock_timestamp()")
            try await harness.pass()
            #expect(try await harness.rows() == ["1 ended match_end none", "2 pending none"])
        }
    }
}
