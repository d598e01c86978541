import Activities
import Postgres
import SightscreenModels
import TestKit

@testable import Store
@testable import APIGateway

/// Users, phones, follows and activities in every state that a registration can meet, made at random, and random
/// registrations for them. The same seed makes the same in every database.
struct ActivityTokenScenario {
    /// In play with and without a state; over a moment and long ago; over and to come by the schedule alone; unknown.
    static let matches = (1...7).map { MatchID(Int64($0)) }
    static let users = (0..<48).map { UserID("user\($0)") }

    private var random: SeededGenerator
    private var tokensMade = 0
    /// Those that each user has reported.
    private var tokens: [UserID: [String]] = [:]

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    // MARK: - Rows

    /// SQL that fills an empty database.
    mutating func population() -> [String] {
        var statements = [
            """
            INSERT INTO active_matches (match_id, display_state, version, stamp, content_state, went_live_at, ended_at)
            VALUES (1, 'live', 7, 1000, '\(Self.contentState)', now(), NULL), (2, 'live', 1, 1000, NULL, now(), NULL),
                (3, 'completed', 9, 1000, '\(Self.contentState)', now(), now()),
                (4, 'completed', 9, 1000, 'not JSON', now(), now() - interval '2 hours')
            """,
            """
            INSERT INTO fixtures (match_id, league_id, competition, format, status, home_id, home_name, home_code,
                away_id, away_name, away_code)
            SELECT n, 1, 'League', 'twenty20', CASE WHEN n = 5 THEN 'Finished' ELSE 'NS' END, 1, 'A', 'A', 2, 'B', 'B'
            FROM generate_series(1, 6) n
            """,
        ]
        for user in Self.users {
            for device in ["phone", "pad", "old"].prefix(Int.random(in: 0...3, using: &random)) {
                let route = DeviceRoute(user: user, device: DeviceID(device))
                let token = device == "old" || random.chance(0.2) ? "NULL" : "'start-\(user.rawValue)-\(device)'"
                let days = [0, 0, 3, 40].randomElement(using: &random) ?? 0
                statements.append(
                    """
                    INSERT INTO devices (user_id, device_id, route, shard, push_to_start_token, last_seen_at)
                    VALUES ('\(user.rawValue)', '\(device)', \(route.hash), \(route.shard), \(token),
                        now() - interval '\(days) days')
                    """)
            }
            for match in Self.matches where random.chance(0.6) { statements.append(follow(user, match)) }
        }
        return statements
    }

    /// What others do between two stampedes: SQL, the same for every database.
    mutating func interlude() -> [String] {
        var statements: [String] = []
        for user in Self.users {
            let match = Self.matches.randomElement(using: &random) ?? Self.matches[0]
            switch Int.random(in: 0..<9, using: &random) {
            case 0:
                statements.append(
                    "DELETE FROM match_follows WHERE user_id = '\(user.rawValue)' AND match_id = \(match.rawValue)")
            case 1: statements.append(follow(user, match))
            case 2:
                // The start goes out, as a coordinator sends it.
                statements.append(
                    """
                    UPDATE live_activities SET start_id = 'start-' || user_id || '-' || generation,
                        start_sent_at = now(), start_attempts = start_attempts + 1,
                        start_lease_until = now() + interval '2 minutes'
                    WHERE user_id = '\(user.rawValue)' AND status = 'pending'
                    """)
            case 3:
                // APNs says that a token is dead; an end went out; one still waits.
                let push = ["none", "due", "sent", "dropped"].randomElement(using: &random) ?? "none"
                statements.append(
                    """
                    UPDATE live_activities SET status = 'ended', end_reason = 'token_invalid', ended_at = now(),
                        end_push = '\(push)', end_attempts = 2, end_lease_until = now()
                    WHERE user_id = '\(user.rawValue)' AND match_id = \(match.rawValue) AND status <> 'ended'
                    """)
            case 4, 5:
                statements.append(
                    """
                    INSERT INTO live_activities (match_id, user_id, device_id, generation, route, shard)
                    SELECT \(match.rawValue), user_id, device_id, coalesce((SELECT max(generation)
                        FROM live_activities l WHERE l.match_id = \(match.rawValue) AND l.user_id = d.user_id
                            AND l.device_id = d.device_id), 0) + 1, route, shard
                    FROM devices d WHERE user_id = '\(user.rawValue)' ON CONFLICT DO NOTHING
                    """)
            case 6, 7:
                // A renewal goes out.
                statements.append(
                    """
                    UPDATE live_activities SET renewal_due_at = now(), renewal_attempts = renewal_attempts + 1,
                        renewal_start_id = 'renewal-' || user_id || '-' || generation || '-' || renewal_attempts,
                        renewal_sent_at = now(), renewal_lease_until = now() + interval '2 minutes'
                    WHERE user_id = '\(user.rawValue)' AND status = 'active'
                    """)
            default:
                statements.append(
                    "UPDATE devices SET last_seen_at = now() - interval '3 days' WHERE user_id = '\(user.rawValue)'")
                // None of what runs has begun since: whose activity begins is seen.
                statements.append(
                    """
                    UPDATE live_activities SET activated_at = now() - interval '3 days'
                    WHERE user_id = '\(user.rawValue)' AND activated_at IS NOT NULL
                    """)
            }
        }
        return statements
    }

    private func follow(_ user: UserID, _ match: MatchID) -> String {
        """
        INSERT INTO match_follows (user_id, match_id) VALUES ('\(user.rawValue)', \(match.rawValue))
        ON CONFLICT (user_id, match_id) DO UPDATE SET created_at = clock_timestamp()
        """
    }

    // MARK: - Registrations

    /// What is on record, to be named again.
    struct Known {
        struct Record {
            var match: MatchID
            var device: DeviceID
            var token: String?
            var activity: String?
            var start: String?
        }
        var records: [UserID: [Record]] = [:]
        /// Whose records hold a token.
        var holders: [String: Set<UserID>] = [:]
    }

    static func known(_ pool: PostgresPool) async throws -> Known {
        var known = Known()
        let rows = try await pool.query(
            """
            SELECT match_id, user_id, device_id, update_token, activity_id,
                coalesce(renewal_start_id, start_id) AS start_id
            FROM live_activities
            ORDER BY user_id, match_id, device_id, generation
            """)
        for row in rows {
            let user = UserID(try row.string("user_id"))
            let record = Known.Record(
                match: MatchID(try row.int64("match_id")), device: DeviceID(try row.string("device_id")),
                token: try row.optionalString("update_token"), activity: try row.optionalString("activity_id"),
                start: try row.optionalString("start_id"))
            known.records[user, default: []].append(record)
            if let token = record.token { known.holders[token, default: []].insert(user) }
        }
        return known
    }

    /// A round of registrations in the order in which they arrive. Half of the users have some each; the others may
    /// lose a token. What one user does says nothing about another who also acts, but for the last request of a user:
    /// another one may follow with the same token. So the outcome is the same in every order that keeps each user's and
    /// each token's.
    mutating func round(_ known: Known) -> [ActivityTokenJob] {
        let users = Self.users.shuffled(using: &random)
        let actors = users.prefix(users.count / 2)
        let idle = Set(users.suffix(users.count / 2))
        var stolen = known.holders.filter { $0.value.isSubset(of: idle) }.keys.sorted().shuffled(using: &random)
        var lines = actors.map { user in
            (0..<Int.random(in: 1...4, using: &random)).map { _ in registration(user, known, &stolen) }
        }
        // Pairs who end up with one token.
        var last: [ActivityTokenJob] = []
        for place in stride(from: 0, to: lines.count - 1, by: 2) where random.chance(0.2) {
            var job = registration(lines[place + 1][0].user, known, &stolen)
            job.request.activityToken = lines[place][lines[place].count - 1].request.activityToken
            last.append(job)
        }
        var jobs: [ActivityTokenJob] = []
        while let place = lines.indices.filter({ !lines[$0].isEmpty }).randomElement(using: &random) {
            jobs.append(lines[place].removeFirst())
        }
        return jobs + last
    }

    private mutating func registration(_ user: UserID, _ known: Known, _ stolen: inout [String]) -> ActivityTokenJob {
        tokensMade += 1
        let record = random.chance(0.6) ? known.records[user]?.randomElement(using: &random) : nil
        // Most of the others are about the match in play, so that records pile up.
        var match = random.chance(0.6) ? Self.matches[0] : Self.matches.randomElement(using: &random) ?? Self.matches[0]
        var token = "token\(tokensMade)"
        if let record, random.chance(0.9) { match = record.match }
        if let own = record?.token, known.holders[own] == [user], random.chance(0.4) {
            token = own
        } else if random.chance(0.05) {
            token = stolen.popLast() ?? token
        } else if let late = tokens[user]?.suffix(8).randomElement(using: &random),
            known.holders[late] ?? [user] == [user], random.chance(0.15)
        {
            token = late
        }
        if token == "token\(tokensMade)" { tokens[user, default: []].append(token) }
        var device: DeviceID?
        switch Int.random(in: 0..<10, using: &random) {
        case 0..<2: device = nil
        case 2: device = DeviceID("new\(tokensMade % 3)")
        default: device = record?.device ?? DeviceID(random.chance(0.7) ? "phone" : "pad")
        }
        return ActivityTokenJob(
            request: ActivityTokenRequest(
                activityToken: UpdateToken(token), deviceId: device,
                activityId: id(record?.activity, "activity\(tokensMade)").map { ActivityID($0) },
                startId: id(record?.start, "start\(tokensMade)").map { StartID($0) }),
            match: match, user: user)
    }

    /// None, the one on record, or another.
    private mutating func id(_ known: String?, _ fresh: String) -> String? {
        switch Int.random(in: 0..<5, using: &random) {
        case 0, 1: nil
        case 2, 3: known
        default: fresh
        }
    }

    // MARK: - What came of it

    /// Every row as text, apart from times and transaction ids: of times only whether there is one.
    static func rows(_ pool: PostgresPool) async throws -> [String] {
        let activities = try await pool.query(
            """
            SELECT (match_id, user_id, device_id, generation, route, shard, status, end_reason, start_id, start_attempts,
                start_sent_at IS NULL, start_lease_until IS NULL, start_given_up_at IS NULL, activity_id, update_token,
                token_at IS NULL, end_push, end_dismissal, end_attempts, end_lease_until IS NULL, activated_at IS NULL,
                ended_at IS NULL, renewal_start_id, renewal_attempts, renewal_sent_at IS NULL, former_tokens)::text
                AS line
            FROM live_activities ORDER BY match_id, user_id, device_id, generation
            """)
        let devices = try await pool.query(
            """
            SELECT (user_id, device_id, route, shard, platform, environment, device_token, push_to_start_token, former_start_tokens,
                last_seen_at > now() - interval '1 hour')::text AS line
            FROM devices ORDER BY user_id, device_id
            """)
        let follows = try await pool.query(
            "SELECT (user_id, match_id)::text AS line FROM match_follows ORDER BY user_id, match_id")
        return try (activities + devices + follows).map { try $0.string("line") }
    }

    private static let contentState = """
        {"schema":1,"version":7,"matchDisplayState":"live","matchSentiment":"neutral",\
        "compactLeading":{"teamAbbr":"MI","score":"87/6"},"compactTrailing":{"overs":"12.3","runRate":"6.96"},\
        "expanded":{"title":"MI v CSK","subtitle":"Final","innings":[],"batters":[],"recentBalls":[]}}
        """
}
