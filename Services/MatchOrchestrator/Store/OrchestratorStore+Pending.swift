import Activities
import Postgres
package import SightscreenModels
package import Store

extension OrchestratorStore {
    /// The progress of a scan over a match's followers.
    package struct PendingScan: Sendable, Equatable {
        /// The number of activities that were made.
        package var made = 0
        /// The last follower that was scanned; nil at the end.
        package var last: String?
    }

    /// Gives every capable device of a match's followers a pending activity, unless it has one that has not ended.
    ///
    /// The scan goes along the followers in the order of their ids. Where activities are missing, it writes for one
    /// page of followers at a time; where none are missing, as in nearly every pass, it reads twenty pages at once,
    /// which costs less than a write for one.
    /// - Parameters:
    ///   - place: the follower after whom the scan begins.
    ///   - followers: how many are scanned; somewhat more where activities are missing.
    ///   - afterPage: called when some activities were made and others may still be missing.
    package func createPending(
        for match: MatchID, under lease: Lease, after place: String = "", followers: Int = .max,
        afterPage: () async -> Void = {}
    ) async throws -> PendingScan {
        var scan = PendingScan(last: place)
        var left = followers
        var takesAll = false
        while left > 0, let last = scan.last {
            let span = min(takesAll ? batchSize : batchSize * Self.pagesPerScan, left)
            guard let range = try await range(of: match, after: last, followers: span) else {
                scan.last = nil
                break
            }
            let users =
                takesAll ? try await users(of: match, range) : try await lackingUsers(of: match, range)
            let made = users.isEmpty ? 0 : try await create(match, users: users, lease)
            scan.made += made
            if made > 0 { await afterPage() }
            if !takesAll, users.count >= batchSize {
                // More users in this range lack activities.
                scan.last = users.last
                takesAll = true
            } else {
                scan.last = range.last
                left -= range.followers
                takesAll = takesAll && made > batchSize / 10
            }
        }
        // A pass with nothing to write must still prove the lease.
        if scan.made == 0 { _ = try await create(match, users: [], lease) }
        return scan
    }

    /// The pages of followers that are read at once while nothing is missing: a tenth of a second's work.
    private static let pagesPerScan = 20
    /// A range of a match's followers in the order of their ids.
    private struct FollowerRange {
        /// The id before the range; the range begins after it.
        var after: String
        var last: String
        var followers: Int
        /// Whether the followers are a good part of all users in the range, so that reading all their phones in order
        /// costs less than looking up each follower's.
        var isDense: Bool
    }

    private func range(of match: MatchID, after last: String, followers: Int) async throws -> FollowerRange? {
        let rows = try await pool.query(
            """
            WITH page AS MATERIALIZED (
                SELECT max(user_id) AS last, count(*) AS followers FROM (
                    SELECT user_id FROM match_follows WHERE match_id = $1::bigint AND user_id > $2
                    ORDER BY user_id LIMIT $3::bigint) AS f
            )
            SELECT last, followers, CASE WHEN $3 > $4 THEN (
                SELECT count(*) FROM (
                    SELECT FROM devices
                    WHERE user_id > $2 AND user_id <= (SELECT last FROM page) AND \(Self.isCapable)
                    LIMIT 4 * $3) AS d) END AS devices
            FROM page
            """, [.int(match.rawValue), .text(last), .int(followers), .int(batchSize)])
        guard let row = rows.first, let end = try row.optionalString("last") else { return nil }
        let (count, devices) = (try row.int("followers"), try row.optionalInt("devices") ?? .max)
        return FollowerRange(after: last, last: end, followers: count, isDense: devices < 4 * count)
    }

    private func users(of match: MatchID, _ range: FollowerRange) async throws -> [String] {
        let rows = try await pool.query(
            """
            SELECT user_id FROM match_follows
            WHERE match_id = $1::bigint AND user_id > $2 AND user_id <= $3 ORDER BY user_id
            """, [.int(match.rawValue), .text(range.after), .text(range.last)])
        return try rows.map { try $0.string("user_id") }
    }

    /// Returns the followers in a range with a capable device that has no activity, in order and at most a batch of
    /// them.
    private func lackingUsers(of match: MatchID, _ range: FollowerRange) async throws -> [String] {
        let statement = PostgresStatement(
            range.isDense ? Self.denseStatement : Self.sparseStatement,
            [.int(match.rawValue), .text(range.after), .text(range.last), .int(batchSize)])
        let (_, users) = try await pool.exchange(
            reading: [PostgresStatement(range.isDense ? Self.onlyMerging : Self.onlyIndexes), statement]
        ) { read in ([], try read[1].rows.map { try $0.string("user_id") }) }
        return users
    }

    /// Makes the activities that some users lack.
    /// - Returns: how many were made.
    private func create(_ match: MatchID, users: [String], _ lease: Lease) async throws -> Int {
        let statement = PostgresStatement(
            Self.createStatement,
            lease.parameters + [
                .int(match.rawValue), .textArray(users), .int(StartPolicy.perDeviceHourMax),
                .int(StartPolicy.perDeviceDayMax),
            ])
        let (_, made) = try await pool.exchange(reading: [PostgresStatement(Self.onlyIndexes), statement]) { read in
            try lease.check(read[1].rows)
            return ([], try read[1].rows.first?.int("made") ?? 0)
        }
        return made
    }

    /// The settings for the planner, which keeps its plan of a statement. A plan made while the tables were nearly
    /// empty reads all of them for every row, and when a match begins they grow faster than their statistics.
    private static let onlyIndexes = "SELECT set_config('enable_seqscan', 'off', true)"
    private static let onlyMerging = """
        SELECT set_config('enable_seqscan', 'off', true), set_config('enable_nestloop', 'off', true),
            set_config('enable_bitmapscan', 'off', true)
        """

    /// A condition on a row of `devices`: `LiveMatch.capableDevice` without the row's name.
    private static let isCapable = "live_activities_enabled AND push_to_start_token IS NOT NULL"

    /// A condition on a row `d` of `devices`: the user's card of the match is missing there.
    private static func isMissing(_ match: String) -> String {
        MissingCardSQL.isMissing(match: match, user: "d.user_id", device: "d.device_id")
    }

    /// Merges three indexes that are all in the order of users.
    private static let denseStatement = """
        SELECT DISTINCT f.user_id FROM match_follows AS f JOIN devices AS d ON d.user_id = f.user_id
        WHERE f.match_id = $1::bigint AND f.user_id > $2 AND f.user_id <= $3
            AND d.user_id > $2 AND d.user_id <= $3 AND \(LiveMatch.capableDevice) AND NOT \(isMissing("$1"))
            AND NOT EXISTS (
                SELECT 1 FROM live_activities AS a
                WHERE a.match_id = $1 AND a.user_id = d.user_id AND a.device_id = d.device_id AND a.status <> 'ended'
                    AND a.user_id > $2 AND a.user_id <= $3)
        ORDER BY f.user_id LIMIT $4::bigint
        """

    private static let sparseStatement = """
        SELECT f.user_id FROM (
            SELECT user_id FROM match_follows
            WHERE match_id = $1::bigint AND user_id > $2 AND user_id <= $3 ORDER BY user_id OFFSET 0) AS f
        WHERE EXISTS (
            SELECT 1 FROM devices AS d
            WHERE d.user_id = f.user_id AND \(LiveMatch.capableDevice) AND NOT \(isMissing("$1"))
                AND NOT EXISTS (
                    SELECT 1 FROM live_activities AS a
                    WHERE a.match_id = $1 AND a.user_id = d.user_id AND a.device_id = d.device_id
                        AND a.status <> 'ended' OFFSET 0)
            OFFSET 0)
        ORDER BY f.user_id LIMIT $4::bigint
        """

    /// Makes the missing activities. `missing` is decided without locks, and then only those follows are locked: an
    /// unfollow that commits first is seen, and a later one waits until it can see the new row. Unique indexes keep two
    /// orchestrators from making the same row.
    private static let createStatement = """
        WITH \(LeaseGuard.sql(name: 1, epoch: 2)), page AS MATERIALIZED (
            SELECT user_id FROM unnest($4::text[]) AS user_id
        ), missing AS MATERIALIZED (
            SELECT d.user_id, d.device_id, d.route, d.shard, past.generation
            FROM page JOIN devices AS d ON d.user_id = page.user_id
            CROSS JOIN LATERAL (
                -- All that is asked of a phone's activities at one go: a phone has few.
                SELECT count(*) FILTER (WHERE other.match_id = $3::bigint AND other.status <> 'ended') AS current,
                    coalesce(max(other.generation) FILTER (WHERE other.match_id = $3), 0) AS generation,
                    max(other.generation) FILTER (WHERE other.match_id = $3 AND other.card IS NOT NULL) AS missing,
                    count(*) FILTER (
                        WHERE other.match_id = $3 AND NOT \(ReportedGenerationSQL.startWasSent("other"))) AS reported,
                    \(StartBudget.thisHour("true")) AS this_hour,
                    coalesce(sum(other.starts_sent) FILTER (WHERE \(StartBudget.isOfToday)), 0) AS this_day
                FROM live_activities AS other WHERE other.user_id = d.user_id AND other.device_id = d.device_id
            ) AS past
            WHERE \(LiveMatch.capableDevice) AND past.current = 0 AND past.this_hour < $5::int
                -- The newest card may have been swiped away.
                AND past.missing IS DISTINCT FROM past.generation
                AND past.this_day < $6::int AND past.reported < \(ActivityTokenRule.reportedMax)
        ), still AS MATERIALIZED (
            SELECT f.user_id FROM match_follows AS f
            WHERE f.match_id = $3 AND f.user_id IN (SELECT user_id FROM missing)
                AND (f.expires_at IS NULL OR f.expires_at > clock_timestamp())
            ORDER BY f.user_id FOR KEY SHARE
        ), made AS (
            INSERT INTO live_activities (match_id, user_id, device_id, generation, route, shard)
            SELECT $3, m.user_id, m.device_id, m.generation + 1, m.route, m.shard
            FROM lease_guard, missing AS m JOIN still ON still.user_id = m.user_id
            ORDER BY m.user_id, m.device_id
            ON CONFLICT DO NOTHING
            RETURNING 1
        )
        SELECT EXISTS (SELECT 1 FROM lease_guard) AS held, (SELECT count(*) FROM made) AS made
        """
}
