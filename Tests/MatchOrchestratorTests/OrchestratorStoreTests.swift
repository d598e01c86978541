import MatchOrchestrator
import LACoordinator
import Cricket
import Postgres
import SightscreenModels
import Store
import TestKit
import Testing

@Suite struct OrchestratorStoreTests {
    private static let match = MatchID(1_304_076)

    /// Three followers with two capable devices each, of a match in play; and a fourth user with a device that cannot.
    private func liveMatch(_ pool: PostgresPool) async throws -> (OrchestratorStore, Lease) {
        try await pool.execute(
            """
            INSERT INTO active_matches (match_id, display_state, version, stamp, content_state, went_live_at)
            VALUES ($1, 'live', 1, 100, '{}', clock_timestamp() - interval '2 minutes')
            """, [.int(Self.match.rawValue)])
        for user in ["ann", "ben", "cat", "dan"] {
            try await pool.execute(
                "INSERT INTO match_follows (user_id, match_id) VALUES ($1, $2)",
                [.text(user), .int(Self.match.rawValue)])
            for device in ["phone", "pad"] {
                try await pool.execute(
                    """
                    INSERT INTO devices (user_id, device_id, route, shard, push_to_start_token, live_activities_enabled)
                    VALUES ($1, $2, 77, 3, $3, $4)
                    """,
                    [.text(user), .text(device), .text("\(user)-\(device)"), .bool(user != "dan")])
            }
        }
        let lease = try #require(
            try await LeaseStore(pool: pool).acquire([.orchestrator], holder: "test/1", duration: .seconds(60)).first)
        return (OrchestratorStore(pool: pool, batchSize: 2), lease)
    }

    private func count(_ pool: PostgresPool, _ condition: String) async throws -> Int {
        try await pool.query("SELECT count(*) AS n FROM live_activities WHERE \(condition)").first?.int("n") ?? -1
    }

    @Test func goingLiveGivesEachCapableDeviceOnePendingActivityHoweverOftenItRuns() async throws {
        try await withDatabase { (pool: PostgresPool) async throws in
            let (store, lease) = try await liveMatch(pool)
            #expect(try await store.liveMatches(lead: .zero) == [Self.match])
            #expect(try await store.createPending(for: Self.match, under: lease).made == 6)
            #expect(try await store.createPending(for: Self.match, under: lease).made == 0)
            let row = try #require(
                try await pool.query("SELECT * FROM live_activities WHERE user_id = 'ann' AND device_id = 'pad'").first)
            #expect(try row.int("generation") == 1)
            #expect(try row.string("status") == "pending")
            #expect(try row.int("route") == 77)
            #expect(try row.int("shard") == 3)
            #expect(try row.isNull("start_lease_until"))
        }
    }

    @Test func twoAtOnceMakeNoDouble() async throws {
        try await withDatabase { (pool: PostgresPool) async throws in
            let (store, lease) = try await liveMatch(pool)
            let made = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<6 { group.addTask { try await store.createPending(for: Self.match, under: lease).made } }
                return try await group.reduce(0, +)
            }
            #expect(made == 6)
            #expect(try await count(pool, "true") == 6)
        }
    }

    @Test func aStaleEpochWritesNothing() async throws {
        try await withDatabase { (pool: PostgresPool) async throws in
            let (store, lease) = try await liveMatch(pool)
            _ = try await store.createPending(for: Self.match, under: lease)
            let leases = LeaseStore(pool: pool)
            try await leases.release([.orchestrator], holder: "test/1")
            _ = try await leases.acquire([.orchestrator], holder: "other/1", duration: .seconds(60))
            try await pool.execute(
                "UPDATE active_matches SET settled_at = clock_timestamp() - interval '1 hour', at_stumps = true")
            try await expectLeaseLost { _ = try await store.createPending(for: Self.match, under: lease) }
            try await expectLeaseLost { _ = try await store.endSettledMatches(hold: .zero, under: lease) }
            try await expectLeaseLost { _ = try await store.endActivities(hold: .zero, under: lease) }
            try await expectLeaseLost { try await store.expireFollows(after: .zero, under: lease) }
            try await expectLeaseLost { try await store.purge(after: .zero, under: lease) }
            try await expectLeaseLost { try await store.purgeDevices(under: lease) }
            try await expectLeaseLost { try await FixtureStore(pool: pool).upsert([fixture()], under: lease) }
            #expect(try await count(pool, "status = 'pending'") == 6)
            #expect(try await pool.query("SELECT 1 FROM active_matches WHERE ended_at IS NULL").count == 1)
            #expect(try await pool.query("SELECT 1 FROM fixtures").isEmpty)
        }
    }

    @Test(arguments: ["settled_at = clock_timestamp()", "at_stumps = true", "ended_at = clock_timestamp()"])
    func aMatchThatIsNotInPlayStartsNothing(_ change: String) async throws {
        try await withDatabase { (pool: PostgresPool) async throws in
            let (store, _) = try await liveMatch(pool)
            try await pool.execute("UPDATE active_matches SET \(change)")
            #expect(try await store.liveMatches(lead: .zero).isEmpty)
        }
    }

    @Test func aLostActivityGetsTheNextGenerationAndAnUnfollowedOneNone() async throws {
        try await withDatabase { (pool: PostgresPool) async throws in
            let (store, lease) = try await liveMatch(pool)
            _ = try await store.createPending(for: Self.match, under: lease)
            try await pool.execute("UPDATE live_activities SET status = 'ended', end_reason = 'token_invalid'")
            try await pool.execute("DELETE FROM match_follows WHERE user_id = 'ben'")
            #expect(try await store.createPending(for: Self.match, under: lease).made == 4)
            #expect(try await count(pool, "generation = 2 AND status = 'pending' AND user_id <> 'ben'") == 4)
        }
    }

    @Test func aPhoneThatWasStartedOftenEnoughThisHourIsLeftAlone() async throws {
        try await withDatabase { (pool: PostgresPool) async throws in
            let (store, lease) = try await liveMatch(pool)
            _ = try await store.createPending(for: Self.match, under: lease)
            try await pool.execute(
                """
                UPDATE live_activities SET status = 'ended', end_reason = 'token_invalid', start_attempts = 6,
                    start_sent_at = clock_timestamp() - CASE user_id WHEN 'ann' THEN interval '1 minute'
                        ELSE interval '61 minutes' END
                """)
            #expect(try await store.createPending(for: Self.match, under: lease).made == 4)
        }
    }

    @Test func givesUpAfterThreeTriesWhenTheLastLeaseHasPassed() async throws {
        try await withDatabase { (pool: PostgresPool) async throws in
            let (store, lease) = try await liveMatch(pool)
            _ = try await store.createPending(for: Self.match, under: lease)
            try await pool.execute(
                """
                UPDATE live_activities SET start_attempts = CASE user_id WHEN 'cat' THEN 2 ELSE 3 END,
                    start_lease_until = clock_timestamp() + CASE user_id WHEN 'ben' THEN interval '1 minute'
                        ELSE interval '-1 second' END
                """)
            #expect(try await store.giveUpStarts(under: lease) == 2)
            #expect(try await count(pool, "start_given_up_at IS NOT NULL AND user_id = 'ann'") == 2)
            // It still stands in the way of another generation.
            #expect(try await store.createPending(for: Self.match, under: lease).made == 0)
        }
    }

    @Test func endsOnceAfterTheResultWasHeld() async throws {
        try await withDatabase { (pool: PostgresPool) async throws in
            let (store, lease) = try await liveMatch(pool)
            _ = try await store.createPending(for: Self.match, under: lease)
            try await pool.execute(
                "UPDATE live_activities SET status = 'active', update_token = user_id || device_id WHERE user_id = 'ann'"
            )
            try await pool.execute("UPDATE active_matches SET settled_at = clock_timestamp() - interval '60 seconds'")

            let left = try #require(try await store.untilNextEnd(hold: .seconds(300)))
            #expect(left > .seconds(200) && left <= .seconds(240))
            #expect(try await store.endSettledMatches(hold: .seconds(300), under: lease).isEmpty)
            #expect(try await store.endActivities(hold: .zero, under: lease).rows == 0)

            #expect(try await store.endSettledMatches(hold: .seconds(60), under: lease) == [Self.match])
            let changes = try await store.endActivities(hold: .zero, under: lease)
            #expect(changes.rows == 6)
            #expect(changes.matches == [Self.match])
            #expect(try await count(pool, "status = 'ended' AND end_reason = 'match_end'") == 6)
            #expect(try await count(pool, "end_push = 'due' AND end_dismissal = 'linger' AND user_id = 'ann'") == 2)
            #expect(try await count(pool, "end_push = 'none'") == 4)

            #expect(try await store.endSettledMatches(hold: .seconds(60), under: lease).isEmpty)
            #expect(try await store.endActivities(hold: .zero, under: lease).rows == 0)
            #expect(try await store.untilNextEnd(hold: .seconds(60)) == nil)
        }
    }

    @Test func stumpsEndActivitiesAndTheMorningStartsThemAgain() async throws {
        try await withDatabase { (pool: PostgresPool) async throws in
            let (store, lease) = try await liveMatch(pool)
            _ = try await store.createPending(for: Self.match, under: lease)
            try await pool.execute("UPDATE active_matches SET at_stumps = true")
            #expect(try await store.endActivities(hold: .zero, under: lease).rows == 6)
            try await store.expireFollows(after: .seconds(1), under: lease)
            #expect(try await pool.query("SELECT 1 FROM match_follows WHERE expires_at IS NOT NULL").isEmpty)
            try await pool.execute("UPDATE active_matches SET at_stumps = false")
            #expect(try await store.createPending(for: Self.match, under: lease).made == 6)
            #expect(try await count(pool, "generation = 2 AND status = 'pending'") == 6)
        }
    }

    @Test func theEndOfADayIsHeardBeforeItsCardsEnd() async throws {
        try await withDatabase { (pool: PostgresPool) async throws in
            let (store, lease) = try await liveMatch(pool)
            _ = try await store.createPending(for: Self.match, under: lease)
            try await pool.execute("UPDATE active_matches SET at_stumps = true, updated_at = clock_timestamp()")
            #expect(try await store.endActivities(hold: .seconds(300), under: lease).rows == 0)
            let left = try #require(try await store.untilNextEnd(hold: .seconds(300)))
            #expect(left > .seconds(290) && left <= .seconds(300))
            try await pool.execute(
                "UPDATE active_matches SET updated_at = clock_timestamp() - interval '301 seconds'")
            #expect(try await store.endActivities(hold: .seconds(300), under: lease).rows == 6)
            #expect(try await store.untilNextEnd(hold: .seconds(300)) == nil, "the night is no reason for a pass")
        }
    }

    /// The result of an abandoned match may be held, and is announced before the match ends.
    @Test func anAbandonedMatchEndsAfterItsResultWasToldOrCouldHaveBeen() async throws {
        try await withDatabase { (pool: PostgresPool) async throws in
            let (store, lease) = try await liveMatch(pool)
            func abandoned(secondsAgo: Int) async throws {
                try await pool.execute(
                    """
                    UPDATE active_matches SET display_state = 'abandoned',
                        updated_at = clock_timestamp() - $1::bigint * interval '1 second'
                    """, [.int(secondsAgo)])
            }
            try await abandoned(secondsAgo: 305)
            #expect(try await store.endSettledMatches(hold: .seconds(300), under: lease).isEmpty)
            try await abandoned(secondsAgo: 605)
            #expect(try await store.endSettledMatches(hold: .seconds(300), under: lease) == [Self.match])
        }
    }

    @Test func endsWhatAnUnfollowCouldNotSee() async throws {
        try await withDatabase { (pool: PostgresPool) async throws in
            let (store, lease) = try await liveMatch(pool)
            _ = try await store.createPending(for: Self.match, under: lease)
            try await pool.execute("DELETE FROM match_follows WHERE user_id = 'ann'")
            #expect(try await store.endUnfollowed(under: lease).changes.rows == 2)
            #expect(try await count(pool, "end_reason = 'user_unfollow' AND user_id = 'ann'") == 2)
        }
    }

    @Test(arguments: [1, 2, 3, 5, 100])
    func looksAtPartsInTurnMissNothing(_ part: Int) async throws {
        try await withDatabase { (pool: PostgresPool) async throws in
            let (store, lease) = try await liveMatch(pool)
            var (made, looks): (Int, Int) = (0, 0)
            var follower: String? = ""
            while let place = follower {
                let look = try await store.createPending(
                    for: Self.match, under: lease, after: place, followers: part)
                (made, follower, looks) = (made + look.made, look.last, looks + 1)
            }
            #expect(made == 6)
            // Four followers, and the look that finds no more; whole pages where something is missing.
            #expect(looks <= 4 / part + 1)
            #expect(part > 1 || looks == 5)

            try await pool.execute("DELETE FROM match_follows WHERE user_id IN ('ann', 'cat')")
            var (ended, pages): (Int, Int) = (0, 0)
            var activity: OrchestratorStore.ActivityPlace? = .begin
            while let place = activity {
                let (changes, last) = try await store.endUnfollowed(under: lease, after: place, activities: part)
                (ended, activity, pages) = (ended + changes.rows, last, pages + 1)
            }
            #expect(ended == 4)
            #expect(try await count(pool, "status = 'ended' AND user_id IN ('ann', 'cat')") == 4)
            // Bites of two.
            #expect(pages == 6 / (2 * ((part + 1) / 2)) + 1)
        }
    }

    @Test func followsExpireAfterTheMatchAndNotWhenItReopens() async throws {
        try await withDatabase { (pool: PostgresPool) async throws in
            let (store, lease) = try await liveMatch(pool)
            try await pool.execute("UPDATE active_matches SET settled_at = now(), ended_at = now()")
            try await store.expireFollows(after: .seconds(3600), under: lease)
            #expect(try await pool.query("SELECT 1 FROM match_follows WHERE expires_at > now()").count == 4)

            try await pool.execute("UPDATE active_matches SET settled_at = NULL, ended_at = NULL")
            try await store.expireFollows(after: .seconds(3600), under: lease)
            #expect(try await pool.query("SELECT 1 FROM match_follows WHERE expires_at IS NULL").count == 4)
        }
    }

    /// Without its row a match that the provider still repeats would be taken for one that has just begun.
    @Test func aSilentMatchLeavesAfterADayUnlessItIsStillRepeated() async throws {
        try await withDatabase { (pool: PostgresPool) async throws in
            let (store, lease) = try await liveMatch(pool)
            func isKept() async throws -> Bool {
                try await store.purge(after: .seconds(3_600), under: lease)
                return try await !pool.query("SELECT 1 FROM active_matches").isEmpty
            }
            func end(hoursAgo: Int) async throws {
                try await pool.execute(
                    """
                    UPDATE active_matches SET end_reason = 'silent',
                        ended_at = clock_timestamp() - $1::bigint * interval '1 hour'
                    """, [.int(hoursAgo)])
            }
            try await pool.execute(
                """
                INSERT INTO fixtures (match_id, league_id, competition, format, status, starts_at, home_id, home_name,
                    home_code, away_id, away_name, away_code)
                VALUES ($1, 1, 'IPL', 'twenty20', '2nd Innings', clock_timestamp(), 1, 'A', 'A', 2, 'B', 'B')
                """, [.int(Self.match.rawValue)])
            try await end(hoursAgo: 100)
            #expect(try await isKept(), "the schedule has it in play")
            try await pool.execute("UPDATE fixtures SET status = 'NS'")
            let bus = try await LeaseStore(pool: pool).acquire(
                [.match(Self.match)], holder: "bus/1", duration: .seconds(60))
            #expect(try await isKept(), "frames of it still come")
            try await LeaseStore(pool: pool).release(bus.map(\.name), holder: "bus/1")
            try await end(hoursAgo: 23)
            #expect(try await isKept())
            try await end(hoursAgo: 25)
            #expect(try await !isKept())
        }
    }

    @Test func theEndOfAFixtureIsNotedWhenItIsSeen() async throws {
        try await withDatabase { (pool: PostgresPool) async throws in
            let (_, lease) = try await liveMatch(pool)
            let store = FixtureStore(pool: pool)
            func isNoted(_ status: String) async throws -> Bool {
                try await store.upsert([fixture(status: status)], under: lease)
                return try await pool.query("SELECT FROM fixtures WHERE over_at IS NULL").isEmpty
            }
            // One that was over before it was first seen has ended at an unknown time.
            for (status, expected) in [
                ("Finished", false), ("Finished", false), ("2nd Innings", false), ("Finished", true),
                ("Finished", true),
                ("2nd Innings", false), ("Aban.", true),
            ] {
                #expect(try await isNoted(status) == expected, "\(status)")
            }
        }
    }

    /// What ends a follow is a result, or the word that there will be none.
    @Test(arguments: [
        ("missing_since = now() - interval '1 day'", false, false),
        ("starts_at = now() + interval '20 days'", false, false),
        ("starts_at = now() - interval '1 year'", false, false),
        ("status = 'Postp.'", false, false),
        ("missing_since = now() - interval '91 days'", true, true),
        ("status = 'Finished'", false, true),
        ("status = 'Cancl.'", false, true),
    ])
    func aFollowEndsAfterAResultOnly(change: String, isOld: Bool, ends: Bool) async throws {
        // Before play, and when the match was ended in play because it had vanished.
        for wasInPlay in [false, true] {
            try await withDatabase { (pool: PostgresPool) async throws in
                let (store, lease) = try await liveMatch(pool)
                try await FixtureStore(pool: pool).upsert([fixture(status: "NS")], under: lease)
                try await pool.execute("UPDATE fixtures SET \(change)")
                try await pool.execute(
                    wasInPlay ? "UPDATE active_matches SET ended_at = now()" : "DELETE FROM active_matches")
                if isOld { try await pool.execute("UPDATE match_follows SET created_at = now() - interval '91 days'") }
                try await store.expireFollows(after: .seconds(3600), under: lease)
                let ending = try await pool.query("SELECT 1 FROM match_follows WHERE expires_at > now()")
                #expect(ending.count == (ends ? 4 : 0), "\(change)")
            }
        }
    }

    @Test func purgesWhatHasHadItsTimeAndNothingElse() async throws {
        try await withDatabase { (pool: PostgresPool) async throws in
            let (store, lease) = try await liveMatch(pool)
            _ = try await store.createPending(for: Self.match, under: lease)
            try await pool.execute("UPDATE devices SET last_seen_at = now() - interval '91 days' WHERE user_id = 'cat'")
            try await store.purge(after: .seconds(3600), under: lease)
            #expect(try await pool.query("SELECT 1 FROM devices").count == 8)
            try await store.purgeDevices(under: lease)
            #expect(try await pool.query("SELECT 1 FROM devices").count == 6)
            #expect(try await count(pool, "end_reason = 'token_invalid' AND user_id = 'cat'") == 2)
            #expect(try await count(pool, "status = 'pending'") == 4)

            try await ActivityStore(pool: pool).note([
                FanOutProgress(
                    match: Self.match, coordinator: "a", version: 1, targeted: 1, sent: 1, accepted: 1, superseded: 0,
                    failed: [:], firstMs: 1, lastMs: 1)
            ])
            try await pool.execute(
                "UPDATE active_matches SET settled_at = now(), ended_at = now() - interval '2 hours'")
            _ = try await store.endActivities(hold: .zero, under: lease)
            try await pool.execute("UPDATE live_activities SET ended_at = now() - interval '2 hours'")
            try await pool.execute(
                "UPDATE match_follows SET expires_at = now() + CASE user_id WHEN 'ann' THEN 1 ELSE -1 END * interval '1 s'"
            )
            try await store.purge(after: .seconds(3600), under: lease)
            #expect(try await count(pool, "true") == 0)
            #expect(try await pool.query("SELECT 1 FROM match_follows").count == 1)
            // The last follower may still look at it.
            #expect(try await pool.query("SELECT 1 FROM active_matches").count == 1)
            #expect(try await pool.query("SELECT 1 FROM fanout_progress").count == 1)
            try await pool.execute("DELETE FROM match_follows")
            try await store.purge(after: .seconds(3600), under: lease)
            #expect(try await pool.query("SELECT 1 FROM active_matches").isEmpty)
            #expect(try await pool.query("SELECT 1 FROM fanout_progress").isEmpty)
        }
    }

    @Test func aFixtureVanishesAtTheSecondSyncThatMissesIt() async throws {
        try await withDatabase { (pool: PostgresPool) async throws in
            let (store, lease) = try await liveMatch(pool)
            let fixtures = FixtureStore(pool: pool)
            try await fixtures.upsert([fixture(), fixture()], under: lease)
            try await fixtures.noteMissing(from: 0, to: 2_000_000_000, present: [Self.match], under: lease)
            #expect(try await store.calledOffMatches(quiet: .zero).isEmpty)
            try await fixtures.noteMissing(from: 0, to: 2_000_000_000, present: [], under: lease)
            #expect(try await store.calledOffMatches(quiet: .zero).isEmpty)
            try await fixtures.noteMissing(from: 0, to: 2_000_000_000, present: [], under: lease)
            #expect(
                try await store.calledOffMatches(quiet: .zero)
                    == [CalledOffMatch(matchID: Self.match, hasVanished: true)])
            // The bus still commits versions: somebody sees it being played.
            #expect(try await store.calledOffMatches(quiet: .seconds(60)).isEmpty)
            try await fixtures.upsert([fixture()], under: lease)
            #expect(try await store.calledOffMatches(quiet: .zero).isEmpty)
        }
    }

    @Test func aMatchThatTheScheduleNeverHadIsOverAfterADay() async throws {
        try await withDatabase { (pool: PostgresPool) async throws in
            let (store, lease) = try await liveMatch(pool)
            try await pool.execute("UPDATE active_matches SET went_live_at = now() - interval '23 hours'")
            #expect(try await store.calledOffMatches(quiet: .zero).isEmpty)
            try await pool.execute("UPDATE active_matches SET went_live_at = now() - interval '25 hours'")
            // The bus still commits versions: somebody sees it being played.
            #expect(try await store.calledOffMatches(quiet: .seconds(60)).isEmpty)
            let off = try await store.calledOffMatches(quiet: .zero)
            #expect(off == [CalledOffMatch(matchID: Self.match, hasVanished: true)])
            try await FixtureStore(pool: pool).upsert([fixture()], under: lease)
            #expect(try await store.calledOffMatches(quiet: .zero).isEmpty)
            try await pool.execute("DELETE FROM fixtures")
            try await store.endCalledOffMatches(off.map(\.matchID), under: lease)
            #expect(try await store.calledOffMatches(quiet: .zero).isEmpty)
        }
    }

    @Test func aCalledOffMatchEndsAndItsActivitiesToo() async throws {
        try await withDatabase { (pool: PostgresPool) async throws in
            let (store, lease) = try await liveMatch(pool)
            _ = try await store.createPending(for: Self.match, under: lease)
            try await FixtureStore(pool: pool).upsert([fixture(status: "Cancl.")], under: lease)
            let off = try await store.calledOffMatches(quiet: .zero)
            #expect(off == [CalledOffMatch(matchID: Self.match, hasVanished: false)])
            try await store.endCalledOffMatches(off.map(\.matchID), under: lease)
            #expect(try await store.endActivities(hold: .zero, calledOff: off.map(\.matchID), under: lease).rows == 6)
            #expect(try await store.calledOffMatches(quiet: .zero).isEmpty)
        }
    }

    @Test func activitiesOfAMatchThatWasNeverSeenInPlayEndToo() async throws {
        try await withDatabase { (pool: PostgresPool) async throws in
            let (store, lease) = try await liveMatch(pool)
            _ = try await store.createPending(for: Self.match, under: lease)
            try await pool.execute("DELETE FROM active_matches")
            try await FixtureStore(pool: pool).upsert([fixture(status: "Postp.")], under: lease)
            let off = try await store.calledOffMatches(quiet: .seconds(300)).map(\.matchID)
            #expect(off == [Self.match])
            #expect(try await store.endActivities(hold: .zero, calledOff: off, under: lease).rows == 6)
        }
    }

    @Test func aMatchIsStartedByTheScheduleBeforeItsFirstVersion() async throws {
        try await withDatabase { (pool: PostgresPool) async throws in
            let (store, lease) = try await liveMatch(pool)
            try await pool.execute("DELETE FROM active_matches")
            let fixtures = FixtureStore(pool: pool)
            let now = try #require(
                try await pool.query("SELECT extract(epoch FROM now())::bigint AS n").first?.int("n"))
            try await fixtures.upsert([fixture(status: "NS", startsAt: now + 600)], under: lease)
            #expect(try await store.liveMatches(lead: .zero).isEmpty)
            #expect(try await store.liveMatches(lead: .seconds(300)).isEmpty)
            #expect(try await store.liveMatches(lead: .seconds(900)) == [Self.match])
            try await fixtures.upsert([fixture(status: "1st Innings", startsAt: now - 600)], under: lease)
            #expect(try await store.liveMatches(lead: .zero) == [Self.match])
        }
    }

    @Test func aMatchThatTheScheduleDoesNotKnowYetWaitsForItsNames() async throws {
        try await withDatabase { (pool: PostgresPool) async throws in
            let (store, lease) = try await liveMatch(pool)
            try await pool.execute("UPDATE active_matches SET went_live_at = clock_timestamp()")
            #expect(try await store.liveMatches(lead: .zero).isEmpty)
            try await FixtureStore(pool: pool).upsert([fixture()], under: lease)
            #expect(try await store.liveMatches(lead: .zero) == [Self.match])
        }
    }

    private func fixture(status: String = "1st Innings", startsAt: Int = 1_700_000_000) -> FixtureRecord {
        FixtureRecord(
            matchID: Self.match, leagueID: 1, competition: "IPL", round: "36th Match", format: .twenty20,
            status: status, startsAt: startsAt, home: Team(id: 6, name: "Mumbai Indians", code: "MI"),
            away: Team(id: 8, name: "Chennai \"Super\" Kings", code: "CSK"), venue: "Wankhede", note: nil,
            winnerID: nil)
    }

    private func expectLeaseLost(_ body: () async throws -> Void) async throws {
        do {
            try await body()
            Issue.record("it wrote under a stale epoch")
        } catch let error as StoreError {
            #expect(error.code == .leaseLost)
        }
    }
}
