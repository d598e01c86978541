import Activities
import Postgres
public import Sightscreen

extension OrchestratorStore {
    /// Matches whose followers should have an activity: in play and not at stumps, settled or ended, or starting within
    /// `lead`.
    public func liveMatches(lead: Duration) async throws -> [MatchID] {
        let rows = try await pool.query(
            """
            SELECT a.match_id FROM active_matches AS a
            WHERE a.settled_at IS NULL AND a.ended_at IS NULL AND NOT a.at_stumps
                AND a.display_state IN ('live', 'inningsBreak', 'suspended')
                -- An activity keeps for good the names it was started with: the schedule gets a minute to tell them.
                AND (EXISTS (SELECT 1 FROM fixtures AS x WHERE x.match_id = a.match_id)
                    OR a.went_live_at < clock_timestamp() - interval '1 minute')
                AND a.went_live_at IS NOT NULL
            UNION
            SELECT f.match_id FROM fixtures AS f
            WHERE f.missing_since IS NULL
                AND NOT EXISTS (
                    SELECT 1 FROM active_matches AS a
                    WHERE a.match_id = f.match_id
                        AND (a.went_live_at IS NOT NULL OR a.settled_at IS NOT NULL OR a.ended_at IS NOT NULL))
                AND (
                    -- Nothing is in play for longer than a Test: an older one was forgotten by the provider.
                    f.status = ANY($1::text[]) AND f.starts_at > clock_timestamp() - interval '6 days'
                    -- A start that is hours overdue is a delay of which the provider has not spoken.
                    OR f.status = 'NS' AND $2::double precision > 0
                        AND f.starts_at <= clock_timestamp() + $2::double precision * interval '1 second'
                        AND f.starts_at > clock_timestamp() - interval '1 hour')
            ORDER BY match_id
            """, [.textArray(Self.statusesInPlay), lead.parameter])
        return try rows.map { MatchID(try $0.int64("match_id")) }
    }

    /// Gives every capable device of every follower of a match a pending activity, if it has none that is not ended.
    ///
    /// - Returns: how many were made.
    public func createPending(for match: MatchID, under lease: Lease) async throws -> Int {
        var made = 0
        // Page by page over the followers, so that a million of them cost neither memory nor one long statement.
        var last = ""
        while true {
            let rows = try await pool.query(
                Self.createStatement,
                lease.parameters + [
                    .int(match.rawValue), .text(last), .int(bite), .int(StartPolicy.perDeviceHourMax),
                    .int(StartPolicy.perDeviceDayMax),
                ])
            try lease.check(rows)
            guard let row = rows.first else { return made }
            made += try row.int("made")
            guard try row.int("followers") == bite, let next = try row.optionalString("last") else { return made }
            last = next
        }
    }

    /// Stops trying where the tries of a generation are used up and the last one's lease has passed.
    /// - Returns: how many were given up.
    public func giveUpStarts(under lease: Lease) async throws -> Int {
        try await repeated(
            lease,
            """
            WITH \(LeaseGuard.sql(name: 1, epoch: 2)), picked AS (
                SELECT match_id, user_id, device_id, generation FROM live_activities
                WHERE status = 'pending' AND start_given_up_at IS NULL AND start_attempts >= $3::int
                    AND start_lease_until < clock_timestamp()
                LIMIT $4::bigint
            ), changed AS (
                UPDATE live_activities AS a SET start_given_up_at = clock_timestamp() FROM lease_guard, picked
                WHERE a.match_id = picked.match_id AND a.user_id = picked.user_id
                    AND a.device_id = picked.device_id AND a.generation = picked.generation
                    AND a.status = 'pending' AND a.start_lease_until < clock_timestamp()
                RETURNING 1
            )
            SELECT EXISTS (SELECT 1 FROM lease_guard) AS held, (SELECT count(*) FROM changed) AS taken,
                NULL AS matches
            """, [.int(StartPolicy.triesMax), .int(bite)]
        ).rows
    }

    /// `missing` is decided without locks, then only those follows are locked: an unfollow that commits first is seen,
    /// one that comes later waits until it can see the new row. Two orchestrators cannot make the same row: the unique
    /// indexes stand behind this.
    private static let createStatement = """
        WITH \(LeaseGuard.sql(name: 1, epoch: 2)), page AS MATERIALIZED (
            SELECT user_id FROM match_follows WHERE match_id = $3::bigint AND user_id > $4
            ORDER BY user_id LIMIT $5::bigint
        ), lacking AS MATERIALIZED (
            SELECT d.user_id, d.device_id, d.route, d.shard
            FROM page JOIN devices AS d ON d.user_id = page.user_id
            WHERE d.live_activities_enabled AND d.push_to_start_token IS NOT NULL
                AND NOT EXISTS (
                    SELECT 1 FROM live_activities AS a
                    WHERE a.match_id = $3 AND a.user_id = d.user_id AND a.device_id = d.device_id
                        AND a.status <> 'ended')
        ), missing AS MATERIALIZED (
            SELECT l.* FROM lacking AS l
            WHERE (
                SELECT \(StartBudget.thisHour("true")) < $6::int AND coalesce(sum(other.starts_sent), 0) < $7::int
                FROM live_activities AS other
                WHERE other.user_id = l.user_id AND other.device_id = l.device_id AND \(StartBudget.isOfToday))
        ), still AS MATERIALIZED (
            SELECT f.user_id FROM match_follows AS f
            WHERE f.match_id = $3 AND f.user_id IN (SELECT user_id FROM missing)
                AND (f.expires_at IS NULL OR f.expires_at > clock_timestamp())
            ORDER BY f.user_id FOR KEY SHARE
        ), made AS (
            INSERT INTO live_activities (match_id, user_id, device_id, generation, route, shard)
            SELECT $3, m.user_id, m.device_id,
                1 + coalesce((
                    SELECT max(p.generation) FROM live_activities AS p
                    WHERE p.match_id = $3 AND p.user_id = m.user_id AND p.device_id = m.device_id), 0),
                m.route, m.shard
            FROM lease_guard, missing AS m JOIN still ON still.user_id = m.user_id
            ON CONFLICT DO NOTHING
            RETURNING 1
        )
        SELECT EXISTS (SELECT 1 FROM lease_guard) AS held, (SELECT count(*) FROM page) AS followers,
            (SELECT count(*) FROM made) AS made, (SELECT max(user_id) FROM page) AS last
        """
}
