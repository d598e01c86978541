import MatchEventBus
import LACoordinator
import Messages
import Postgres
import SightscreenModels
import Store
import TestKit
import Testing

@Suite struct MatchStoreTests {
    static let match = MatchID(1_304_076)

    static func lease(_ pool: PostgresPool, holder: String = "a") async throws -> Lease {
        let leases = try await LeaseStore(pool: pool).acquire(
            [.match(match)], holder: holder, duration: .seconds(8))
        return try #require(leases.first)
    }

    static func commit(
        after version: Int, _ lease: Lease, state: MatchDisplayState = .live, isSettled: Bool = false,
        isSuspended: Bool = false, phase: String = "innings", isBreak: Bool = false, hasMoved: Bool = false,
        isSilent: Bool = false, isByTime: Bool = false
    ) -> MatchCommit {
        MatchCommit(
            matchID: match, lease: lease, previousVersion: MatchVersion(version), displayState: state,
            contentState: #"{"version":\#(version + 1)}"#, events: "[]", retracted: "[]", alert: nil, priority: 5,
            relevance: 50, machine: "{}", atStumps: false, isSuspended: isSuspended, isLive: state == .live,
            isSettled: isSettled, phase: phase, isBreak: isBreak, hasMoved: hasMoved, isSilent: isSilent,
            isByTime: isByTime)
    }

    /// Retries while the stamps are ahead of the clock.
    static func commitSoon(_ store: MatchStore, _ commit: MatchCommit) async throws -> CommittedMatch {
        while true {
            do { return try await store.commit(commit) } catch let error as StoreError where error.code == .tooSoon {
                try await Task.sleep(for: .milliseconds(50))
            }
        }
    }

    /// The provider names its matches, and must not fill the table with them.
    @Test func thereIsNoRoomForMoreMatchesThanTheWorldPlays() async throws {
        try await withDatabase { pool in
            let store = MatchStore(pool: pool)
            let lease = try await Self.lease(pool)
            try await pool.execute(
                """
                INSERT INTO active_matches (match_id, version, stamp, epoch, display_state, content_state, relevance)
                SELECT n, 1, 1, 1, 'live', '{}', 50 FROM generate_series(1, $1::bigint) AS n
                """, [.int(MatchStore.matchesMax)])
            await expectRefusal(.full) { _ = try await store.commit(Self.commit(after: 0, lease)) }
            try await pool.execute("DELETE FROM active_matches WHERE match_id = 7")
            let first = try await store.commit(Self.commit(after: 0, lease))
            #expect(first.version == MatchVersion(1))
            // One that is there goes on.
            let second = try await Self.commitSoon(store, Self.commit(after: 1, lease))
            #expect(second.version == MatchVersion(2))
            #expect(try await pool.query("SELECT 1 FROM active_matches").count == MatchStore.matchesMax)
        }
    }

    /// A ball moves the time of the last one, a change of words does not.
    @Test func theTimeOfTheLastBallIsThatOfTheVersionWithOne() async throws {
        try await withDatabase { pool in
            let store = MatchStore(pool: pool)
            let lease = try await Self.lease(pool)
            func hasBall(_ condition: String) async throws -> Bool {
                try await pool.query("SELECT coalesce(\(condition), false) AS holds FROM active_matches")[0].bool(
                    "holds")
            }
            _ = try await store.commit(Self.commit(after: 0, lease))
            #expect(try await hasBall("last_ball_at IS NULL"))
            _ = try await Self.commitSoon(store, Self.commit(after: 1, lease, hasMoved: true))
            #expect(try await hasBall("last_ball_at >= updated_at - interval '10 seconds'"))
            try await pool.execute("UPDATE active_matches SET last_ball_at = now() - interval '1 hour'")
            _ = try await Self.commitSoon(store, Self.commit(after: 2, lease))
            #expect(try await hasBall("last_ball_at < now() - interval '50 minutes'"))
        }
    }

    @Test func aSilentMatchEndsAndOpensAgainWithAChange() async throws {
        try await withDatabase { pool in
            let store = MatchStore(pool: pool)
            let lease = try await Self.lease(pool)
            func row() async throws -> String {
                try await pool.query(
                    """
                    SELECT concat_ws(' ', ended_at IS NOT NULL, end_reason, end_asked_at IS NOT NULL) AS row
                    FROM active_matches
                    """)[0].string("row")
            }
            _ = try await store.commit(Self.commit(after: 0, lease))
            try await pool.execute("UPDATE active_matches SET end_asked_at = now()")
            #expect(try await store.endsAsked() == [Self.match])
            _ = try await Self.commitSoon(store, Self.commit(after: 1, lease, isSilent: true, isByTime: true))
            #expect(try await row() == "t silent f")
            #expect(try await store.endsAsked().isEmpty)
            _ = try await Self.commitSoon(store, Self.commit(after: 2, lease, isByTime: true))
            #expect(try await row() == "t silent f", "time alone does not open it")
            _ = try await Self.commitSoon(store, Self.commit(after: 3, lease))
            #expect(try await row() == "f f")
        }
    }

    @Test func versionsCountUpAndStampsFollowTheClock() async throws {
        try await withDatabase { pool in
            let store = MatchStore(pool: pool)
            #expect(try await store.load(Self.match) == nil)
            let lease = try await Self.lease(pool)
            let now = try await store.now() / 1_000
            let first = try await store.commit(Self.commit(after: 0, lease))
            #expect(first.version == MatchVersion(1))
            #expect(abs(Int64(first.stamp.rawValue) - now) <= 1)
            let second = try await Self.commitSoon(store, Self.commit(after: 1, lease))
            #expect(second.version == MatchVersion(2))
            #expect(second.stamp > first.stamp)
            let rows = try await pool.query(
                "SELECT version, content_state, went_live_at IS NOT NULL AS live FROM active_matches")
            #expect(try rows.first?.int("version") == 2)
            #expect(try rows.first?.string("content_state") == #"{"version":2}"#)
            #expect(try rows.first?.bool("live") == true)
            #expect(try await pool.query("SELECT 1 FROM match_updates").count == 2)
            #expect(
                try await store.load(Self.match)
                    == StoredMatch(version: second.version, stamp: second.stamp, machine: "{}"))
            // After a while without a version a phone takes a stamp that only counts on for outdated.
            for table in ["active_matches", "match_updates"] {
                try await pool.execute("UPDATE \(table) SET stamp = stamp - 100")
            }
            let later = try await store.commit(Self.commit(after: 2, lease))
            #expect(Int64(later.stamp.rawValue) >= now)
        }
    }

    @Test func stampsNeverRunMoreThanTwoSecondsAhead() async throws {
        try await withDatabase { pool in
            let store = MatchStore(pool: pool)
            let lease = try await Self.lease(pool)
            var refused = false
            for version in 0..<4 {
                do {
                    let done = try await store.commit(Self.commit(after: version, lease))
                    #expect(Int64(done.stamp.rawValue) * 1_000 <= done.committedAtMs + 2_000)
                } catch let error as StoreError where error.code == .tooSoon {
                    refused = true
                    break
                }
            }
            #expect(refused)
        }
    }

    @Test func aHolderThatWasReplacedWritesNothing() async throws {
        try await withDatabase { pool in
            let store = MatchStore(pool: pool)
            let old = try await Self.lease(pool, holder: "a")
            _ = try await store.commit(Self.commit(after: 0, old))
            try await LeaseStore(pool: pool).release([.match(Self.match)], holder: "a")
            await expectRefusal(.leaseLost) { _ = try await store.commit(Self.commit(after: 1, old)) }
            let new = try await Self.lease(pool, holder: "b")
            #expect(new.epoch > old.epoch)
            await expectRefusal(.leaseLost) { _ = try await store.commit(Self.commit(after: 1, old)) }
            let done = try await Self.commitSoon(store, Self.commit(after: 1, new))
            #expect(done.version == MatchVersion(2))
        }
    }

    @Test func aVersionIsWrittenOnce() async throws {
        try await withDatabase { pool in
            let store = MatchStore(pool: pool)
            let lease = try await Self.lease(pool)
            _ = try await store.commit(Self.commit(after: 0, lease))
            await expectRefusal(.versionMoved) { _ = try await store.commit(Self.commit(after: 0, lease)) }
        }
    }

    /// An alert may still be waiting somewhere that a version without an alert takes back.
    @Test func whatAVersionTakesBackIsReadWithIt() async throws {
        try await withDatabase { pool in
            let store = MatchStore(pool: pool)
            let lease = try await Self.lease(pool)
            let state = """
                {"schema":1,"version":1,"matchDisplayState":"live","matchSentiment":"neutral",\
                "compactLeading":{"teamAbbr":"RR","score":"1/0"},"compactTrailing":{"overs":"0.1","runRate":"6.00"},\
                "expanded":{"title":"RR v KKR","subtitle":"IPL","innings":[],"batters":[],"recentBalls":[]}}
                """
            for (version, retracted) in [(0, "[]"), (1, #"["wicket:S1:p7"]"#), (2, "[]"), (3, "[]")] {
                var commit = Self.commit(after: version, lease)
                (commit.contentState, commit.retracted) = (state, retracted)
                commit.overtaken = version == 1 ? #"["onHatTrick:S1:p7:w8"]"# : "[]"
                _ = try await Self.commitSoon(store, commit)
            }
            let updates = try await ActivityStore(pool: pool).updates(beyond: [:])
            #expect(updates.map(\.version.rawValue) == [2, 4])
            #expect(updates.map(\.retracted) == [["wicket:S1:p7"], nil])
            #expect(updates.map(\.overtaken) == [["onHatTrick:S1:p7:w8"], nil])
        }
    }

    @Test func aMatchThatLeftGoesOnFromItsLog() async throws {
        try await withDatabase { pool in
            let store = MatchStore(pool: pool)
            let lease = try await Self.lease(pool)
            let first = try await store.commit(Self.commit(after: 0, lease))
            try await pool.execute("DELETE FROM active_matches")
            let stored = try #require(try await store.load(Self.match))
            #expect(stored == StoredMatch(version: first.version, stamp: first.stamp, machine: nil))
            let again = try await Self.commitSoon(store, Self.commit(after: 1, lease))
            #expect(again.version == MatchVersion(2))
            #expect(again.stamp > first.stamp)
        }
    }

    @Test func settledAndSuspendedSinceAreKeptUntilTheyNoLongerHold() async throws {
        try await withDatabase { pool in
            let store = MatchStore(pool: pool)
            let lease = try await Self.lease(pool)
            func since() async throws -> (suspended: String?, settled: String?) {
                let row = try #require(
                    try await pool.query(
                        "SELECT suspended_at::text AS suspended, settled_at::text AS settled FROM active_matches"
                    ).first)
                return (try row.optionalString("suspended"), try row.optionalString("settled"))
            }
            _ = try await store.commit(Self.commit(after: 0, lease, state: .suspended, isSuspended: true))
            let first = try await since()
            #expect(first.suspended != nil)
            _ = try await Self.commitSoon(store, Self.commit(after: 1, lease, state: .suspended, isSuspended: true))
            #expect(try await since().suspended == first.suspended)
            _ = try await Self.commitSoon(store, Self.commit(after: 2, lease, state: .completed, isSettled: true))
            let settled = try await since()
            #expect(settled.suspended == nil)
            #expect(settled.settled != nil)
            _ = try await Self.commitSoon(store, Self.commit(after: 3, lease))
            #expect(try await since().settled == nil)
        }
    }

    @Test func aMatchInPlayWithoutAHolderIsAnOrphan() async throws {
        try await withDatabase { pool in
            let store = MatchStore(pool: pool)
            let lease = try await Self.lease(pool)
            _ = try await store.commit(Self.commit(after: 0, lease))
            #expect(try await store.orphans(quietFor: .zero).isEmpty)
            try await LeaseStore(pool: pool).release([.match(Self.match)], holder: "a")
            #expect(try await store.orphans(quietFor: .zero) == [Self.match])
        }
    }

    private func expectRefusal(_ code: StoreError.Code, _ body: () async throws -> Void) async {
        do {
            try await body()
            Issue.record("was not refused")
        } catch {
            #expect((error as? StoreError)?.code == code)
        }
    }
}
