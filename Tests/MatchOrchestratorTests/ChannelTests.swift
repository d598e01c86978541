import Logging
import MatchOrchestrator
import Postgres
import SightscreenModels
import Store
import TestKit
import Testing

/// Which matches and classes get a broadcast channel.
@Suite struct ChannelTests {
    private static let match = MatchID(1_304_076)

    /// A fixture, and three users whose phones can listen: two want all alerts, one the key ones. A fourth phone cannot.
    private func fixture(
        _ pool: PostgresPool, startsIn: String = "1 hour", status: String = "NS"
    ) async throws -> (OrchestratorStore, Lease) {
        try await pool.execute(
            """
            INSERT INTO fixtures (match_id, league_id, competition, format, status, starts_at, home_id, home_name,
                home_code, away_id, away_name, away_code)
            VALUES ($1, 1, 'IPL', 'twenty20', $3, now() + $2::interval, 8, 'R', 'RR', 5, 'K', 'KKR')
            """, [.int(Self.match.rawValue), .text(startsIn), .text(status)])
        for (user, alerts, listens) in [
            ("ann", "all", true), ("ben", "all", true), ("cat", "key", true), ("dan", "all", false),
        ] {
            try await pool.execute(
                "INSERT INTO match_follows (user_id, match_id, alerts) VALUES ($1, $2, $3)",
                [.text(user), .int(Self.match.rawValue), .text(alerts)])
            try await pool.execute(
                """
                INSERT INTO devices (user_id, device_id, route, shard, push_to_start_token, broadcast)
                VALUES ($1, 'phone', 77, 3, $1, $2)
                """, [.text(user), .bool(listens)])
        }
        let lease = try #require(
            try await LeaseStore(pool: pool).acquire([.orchestrator], holder: "test/1", duration: .seconds(60)).first)
        return (OrchestratorStore(pool: pool), lease)
    }

    private func channels(_ pool: PostgresPool) async throws -> [String] {
        try await pool.query(
            """
            SELECT environment || ' ' || class || ' ' || generation AS channel FROM broadcast_channels
            ORDER BY environment, class, generation
            """
        ).map { try $0.string("channel") }
    }

    @Test func aClassThatIsLargeEnoughGetsOneChannel() async throws {
        try await withDatabase { (pool: PostgresPool) async throws in
            let (store, lease) = try await fixture(pool)
            #expect(
                try await store.askForChannels(followers: 3, under: lease).asked == 0,
                "who cannot listen does not count")
            #expect(try await store.askForChannels(followers: 2, under: lease).asked == 1)
            #expect(try await store.askForChannels(followers: 2, under: lease).asked == 0)
            #expect(try await channels(pool) == ["production 0 1"])
            #expect(try await store.askForChannels(followers: 1, under: lease).asked == 1)
            #expect(try await channels(pool) == ["production 0 1", "production 1 1"])
        }
    }

    @Test(arguments: [
        ("4 hours", "NS", 0), ("2 hours", "NS", 1), ("-1 hours", "NS", 1), ("2 hours", "Cancl.", 0),
        ("-3 hours", "Finished", 0),
    ])
    func onlyAMatchThatIsNearGetsOne(startsIn: String, status: String, asked: Int) async throws {
        try await withDatabase { (pool: PostgresPool) async throws in
            let (store, lease) = try await fixture(pool, startsIn: startsIn, status: status)
            #expect(try await store.askForChannels(followers: 2, under: lease).asked == asked)
        }
    }

    @Test func aMatchThatGoesOnAfterItsEndGetsAnotherGeneration() async throws {
        try await withDatabase { (pool: PostgresPool) async throws in
            let (store, lease) = try await fixture(pool)
            #expect(try await store.askForChannels(followers: 2, under: lease).asked == 1)
            try await pool.execute("UPDATE broadcast_channels SET channel_id = 'x', ended_at = now()")
            try await pool.execute(
                """
                INSERT INTO active_matches (match_id, display_state, version, stamp, content_state, at_stumps)
                VALUES ($1, 'live', 1, 100, '{}', true)
                """, [.int(Self.match.rawValue)])
            #expect(try await store.askForChannels(followers: 2, under: lease).asked == 0, "at stumps nothing is shown")
            try await pool.execute("UPDATE active_matches SET at_stumps = false")
            #expect(try await store.askForChannels(followers: 2, under: lease).asked == 1)
            #expect(try await channels(pool) == ["production 0 1", "production 0 2"])
            try await pool.execute("UPDATE active_matches SET settled_at = now()")
            try await pool.execute("UPDATE broadcast_channels SET lost_at = now() WHERE generation = 2")
            #expect(
                try await store.askForChannels(followers: 2, under: lease).asked == 0,
                "nothing starts after the result")
        }
    }

    @Test func whereChannelsAreRefusedNoneIsAskedForDuringAnHour() async throws {
        try await withDatabase { (pool: PostgresPool) async throws in
            let (store, lease) = try await fixture(pool)
            try await pool.execute(
                "INSERT INTO broadcast_stops VALUES ('production', now(), 'BroadcastFeatureNotEnabled')")
            #expect(try await store.askForChannels(followers: 2, under: lease).asked == 0)
            try await pool.execute("UPDATE broadcast_stops SET since = now() - interval '61 minutes'")
            #expect(try await store.askForChannels(followers: 2, under: lease).asked == 1)
        }
    }

    @Test func aLostChannelIsAskedForAnewAfterAnHour() async throws {
        try await withDatabase { (pool: PostgresPool) async throws in
            let (store, lease) = try await fixture(pool)
            #expect(try await store.askForChannels(followers: 2, under: lease).asked == 1)
            try await pool.execute("UPDATE broadcast_channels SET channel_id = 'x', lost_at = now()")
            #expect(try await store.askForChannels(followers: 2, under: lease).asked == 0)
            try await pool.execute("UPDATE broadcast_channels SET lost_at = now() - interval '61 minutes'")
            #expect(try await store.askForChannels(followers: 2, under: lease).asked == 1)
            #expect(try await channels(pool) == ["production 0 1", "production 0 2"])
        }
    }

    @Test func aStaleEpochAsksForNothing() async throws {
        try await withDatabase { (pool: PostgresPool) async throws in
            let (store, lease) = try await fixture(pool)
            var stale = lease
            stale.epoch -= 1
            await #expect(throws: StoreError.self) { try await store.askForChannels(followers: 1, under: stale) }
            #expect(try await channels(pool) == [])
        }
    }

    /// Those who lack one thing to be listeners like ann and ben: eve's phone can listen, and the others follow.
    private func almostListeners(_ pool: PostgresPool) async throws {
        try await pool.execute(
            """
            INSERT INTO match_follows (user_id, match_id)
            SELECT user_id, $1::bigint FROM unnest(ARRAY['fin', 'gil', 'hal', 'ida']) AS user_id
            """, [.int(Self.match.rawValue)])
        try await pool.execute(
            """
            INSERT INTO devices (user_id, device_id, route, shard, environment, live_activities_enabled,
                push_to_start_token, broadcast)
            VALUES ('eve', 'phone', 1, 0, 'production', true, 'eve', true),
                ('gil', 'phone', 1, 0, 'sandbox', true, 'gil', true),
                ('hal', 'phone', 1, 0, 'production', false, 'hal', true),
                ('ida', 'phone', 1, 0, 'production', true, NULL, true)
            """)
    }

    private static let eveFollows = "INSERT INTO match_follows (user_id, match_id) VALUES ('eve', \(match.rawValue))"
    private static let finHasAPhone = """
        INSERT INTO devices (user_id, device_id, route, shard, push_to_start_token, broadcast)
        VALUES ('fin', 'phone', 1, 0, 'fin', true)
        """

    @Test(arguments: [
        (eveFollows, 1), ("UPDATE match_follows SET alerts = 'all' WHERE user_id = 'cat'", 1), (finHasAPhone, 1),
        ("UPDATE devices SET broadcast = true WHERE user_id = 'dan'", 1),
        ("UPDATE devices SET environment = 'production' WHERE user_id = 'gil'", 1),
        ("UPDATE devices SET live_activities_enabled = true WHERE user_id = 'hal'", 1),
        ("UPDATE devices SET push_to_start_token = 'ida' WHERE user_id = 'ida'", 1),
        ("WITH gone AS (DELETE FROM match_follows WHERE user_id = 'ben') \(eveFollows)", 0),
        ("WITH gone AS (DELETE FROM devices WHERE user_id = 'ann') \(finHasAPhone)", 0),
    ])
    func whoComesIsSeenByTheNextLook(change: String, asked: Int) async throws {
        try await withDatabase { (pool: PostgresPool) async throws in
            let (store, lease) = try await fixture(pool)
            try await almostListeners(pool)
            let first = try await store.askForChannels(followers: 3, under: lease)
            #expect(first.asked == 0)
            // The look comes before the change is committed, and then another.
            let second = try await pool.transaction { transaction in
                try await transaction.execute(change)
                return try await store.askForChannels(followers: 3, since: first, under: lease)
            }
            #expect(second.asked == 0)
            #expect(try await store.askForChannels(followers: 3, since: second, under: lease).asked == asked)
        }
    }

    /// A follow without a mark stands for all that are there: only a look that reads the followers finds it.
    @Test func aPassReadsNoFollowersWhereNobodyCame() async throws {
        try await withDatabase { (pool: PostgresPool) async throws in
            let (store, lease) = try await fixture(pool)
            try await almostListeners(pool)
            let orchestrator = MatchOrchestrator(
                store: store,
                timing: .init(
                    interval: .seconds(30), startLead: .zero, resultHold: .seconds(60),
                    followRetention: .seconds(172_800), channelFollowersMin: 3),
                logger: Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() }), notify: { _ in })
            _ = await orchestrator.runOnce(under: lease, syncs: 0)
            try await pool.execute(
                """
                INSERT INTO match_follows (user_id, match_id, alerts_xid)
                VALUES ('eve', $1, NULL)
                """, [.int(Self.match.rawValue)])
            // The mark of a restored dump may lie in this server's future.
            try await pool.execute("UPDATE match_follows SET alerts_xid = '1000000000' WHERE user_id = 'ann'")
            _ = await orchestrator.runOnce(under: lease, syncs: 0)
            #expect(try await channels(pool) == [])
            await orchestrator.retire()
            _ = await orchestrator.runOnce(under: lease, syncs: 0)
            #expect(try await channels(pool) == ["production 0 1"], "who takes over reads all of them")
        }
    }
}
