import Activities
import Postgres
import SightscreenModels
import TestKit
import Testing

@testable import Store
@testable import APIGateway

/// Reports of tokens that need not come from a phone: little is written for them, and little is sent.
@Suite struct ActivityTokenRefusalTests {
    private static let live = MatchID(1)
    private static let over = MatchID(2)
    private static let unknown = MatchID(3)

    /// A match in play and one that is over; the users have a phone each, and follow neither.
    private static func seed(_ pool: PostgresPool, _ users: [String]) async throws {
        try await pool.execute(
            """
            INSERT INTO active_matches (match_id, display_state, version, stamp, went_live_at, ended_at)
            VALUES (1, 'live', 7, 1000, now(), NULL), (2, 'completed', 9, 1000, now(), now())
            """)
        for user in users {
            try await pool.execute(
                "INSERT INTO devices (user_id, device_id, route, shard) VALUES ($1, 'phone', 1, 1)", [.text(user)])
        }
    }

    private static func follow(_ pool: PostgresPool, _ user: String, _ match: MatchID = live) async throws {
        try await pool.execute(
            "INSERT INTO match_follows (user_id, match_id) VALUES ($1, $2)", [.text(user), .int(match.rawValue)])
    }

    private static func report(
        _ user: String, _ token: String, _ match: MatchID = live, activity: String? = nil, start: String? = nil,
        device: String = "phone", in pool: PostgresPool
    ) async throws -> ActivityTokenRule.Action {
        try await ActivityTokenStore(pool: pool).register(
            ActivityTokenRequest(
                activityToken: UpdateToken(token), deviceId: DeviceID(device),
                activityId: activity.map { ActivityID($0) }, startId: start.map { StartID($0) }),
            match: match, user: UserID(user)
        ).action
    }

    private static func rows(_ pool: PostgresPool) async throws -> [String] {
        try await pool.query(
            """
            SELECT concat_ws(' ', match_id, user_id, generation, status, update_token, end_push) AS line
            FROM live_activities ORDER BY match_id, user_id, generation
            """
        ).map { try $0.string("line") }
    }

    @Test func aMatchThatNobodyKnowsGetsNeitherARowNorAPush() async throws {
        try await withDatabase(size: 3) { (pool: PostgresPool) async throws in
            try await Self.seed(pool, ["ann"])
            for device in ["phone", "never-seen"] {
                let action = try await Self.report(
                    "ann", "a1", Self.unknown, device: device, in: pool)
                #expect(action == .pass(.unknownMatch))
            }
            #expect(try await Self.rows(pool) == [])
            #expect(try await pool.query("SELECT FROM devices").count == 1)
        }
    }

    @Test func aTokenThatNoActivityHasGetsItsEndThoughTheMatchIsNotFollowed()
        async throws
    {
        try await withDatabase(size: 3) { (pool: PostgresPool) async throws in
            try await Self.seed(pool, ["ann"])
            #expect(try await Self.report("ann", "a1", in: pool) == .refuse)
            #expect(try await Self.rows(pool) == ["1 ann 1 ended a1 due"])
        }
    }

    /// Bob knows the token of Ann's activity. Whether he follows or not, and whether the match is over or not.
    @Test func anothersActivityIsNotEndedByAReport() async throws {
        try await withDatabase(size: 3) { (pool: PostgresPool) async throws in
            try await Self.seed(pool, ["ann", "bob"])
            try await Self.follow(pool, "ann")
            try await Self.follow(pool, "bob", Self.over)
            #expect(try await Self.report("ann", "a1", in: pool) == .adopt)
            #expect(try await Self.report("bob", "a1", in: pool) == .pass(.notFollowed))
            #expect(try await Self.report("bob", "a1", Self.over, in: pool) == .pass(.anothersToken))
            #expect(try await Self.rows(pool) == ["1 ann 1 active a1 none"])
            // In a record of his own that is over.
            #expect(try await Self.report("bob", "b1", Self.over, in: pool) == .end(generation: nil))
            #expect(try await Self.report("bob", "a1", Self.over, in: pool) == .pass(.anothersToken))
            #expect(try await Self.rows(pool) == ["1 ann 1 active a1 none", "2 bob 1 ended b1 due"])
            // Her end goes out as it is owed, not as his.
            try await FollowStore(pool: pool).unfollow(Self.live, user: UserID("ann"))
            #expect(try await Self.report("bob", "a1", in: pool) == .pass(.notFollowed))
            #expect(try await Self.rows(pool) == ["1 ann 1 ended a1 due", "2 bob 1 ended b1 due"])
        }
    }

    @Test func aPhoneIsOwedAtMostFourEndsOfAMatch() async throws {
        try await withDatabase(size: 3) { (pool: PostgresPool) async throws in
            try await Self.seed(pool, ["ann", "bob"])
            for number in 1...6 {
                for (user, match) in [("ann", Self.live), ("bob", Self.over)] {
                    let action = try await Self.report(
                        user, "\(user)\(number)", match, activity: "activity\(number)", in: pool)
                    switch (number <= ActivityTokenRule.owedEndsMax, user) {
                    case (true, "ann"): #expect(action == .refuse)
                    case (true, _): #expect(action == .end(generation: nil))
                    case (false, "ann"): #expect(action == .pass(.notFollowed))
                    case (false, _): #expect(action == .pass(.tooManyEnds))
                    }
                }
            }
            #expect(try await Self.rows(pool).count == 8)
            // Of one that is owed anyway the newest token counts.
            let again = try await Self.report(
                "bob", "bob7", Self.over, activity: "activity4", in: pool)
            #expect(again == .end(generation: 4))
            #expect(try await Self.rows(pool).contains("2 bob 4 ended bob7 due"))
        }
    }

    /// Whether each one replaces the last, or each is ended as a stranger's.
    @Test(arguments: [false, true])
    func aPhoneHasAtMostSixteenReportedGenerationsOfAMatch(follows: Bool) async throws {
        try await withDatabase(size: 3) { (pool: PostgresPool) async throws in
            try await Self.seed(pool, ["ann"])
            if follows { try await Self.follow(pool, "ann") }
            for number in 1...20 {
                let action = try await Self.report(
                    "ann", "t\(number)", activity: "activity\(number)", in: pool)
                switch (follows, number) {
                case (true, 1): #expect(action == .adopt)
                case (true, ...16): #expect(action == .replace(generation: number - 1))
                case (true, _): #expect(action == .pass(.tooManyGenerations))
                case (false, ...16): #expect(action == .refuse)
                case (false, _): #expect(action == .pass(.notFollowed))
                }
                try await pool.execute("UPDATE live_activities SET end_push = 'sent' WHERE end_push = 'due'")
            }
            #expect(try await Self.rows(pool).count == ActivityTokenRule.reportedMax)
            // The one that runs goes on, and those that the server starts are not counted.
            guard follows else { return }
            #expect(
                try await Self.report("ann", "r1", activity: "activity16", in: pool)
                    == .rotate(generation: 16))
            try await pool.execute(
                """
                UPDATE live_activities SET renewal_due_at = now(), renewal_attempts = 1, renewal_start_id = 'renewal',
                    renewal_sent_at = now(), renewal_lease_until = now() + interval '2 minutes'
                WHERE status = 'active'
                """)
            #expect(
                try await Self.report("ann", "r2", activity: "renewed", start: "renewal", in: pool)
                    == .replace(generation: 16))
            #expect(try await Self.rows(pool).last == "1 ann 17 active r2 none")
        }
    }

    /// Whoever reports a token that was replaced has it no more.
    @Test func aLateReportOfAReplacedTokenTakesItFromNobody() async throws {
        try await withDatabase(size: 3) { (pool: PostgresPool) async throws in
            try await Self.seed(pool, ["ann", "bob"])
            for user in ["ann", "bob"] { try await Self.follow(pool, user) }
            for token in ["t1", "t2"] { _ = try await Self.report("ann", token, in: pool) }
            #expect(try await Self.report("bob", "t1", in: pool) == .adopt)
            #expect(try await Self.report("ann", "t1", in: pool) == .keep(generation: 1))
            #expect(try await Self.rows(pool) == ["1 ann 1 active t2 none", "1 bob 1 active t1 none"])
        }
    }
}
