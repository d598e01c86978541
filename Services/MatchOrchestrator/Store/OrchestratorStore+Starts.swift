import Activities
import Postgres
package import SightscreenModels
package import Store

extension OrchestratorStore {
    /// Returns the matches whose followers should have an activity: in play and not at stumps, settled or ended, or
    /// starting within `lead`.
    package func liveMatches(lead: Duration) async throws -> [MatchID] {
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
                    \(FixtureSQL.isInPlay("f.status")) AND f.starts_at > clock_timestamp() - interval '6 days'
                    -- A start that is hours overdue is a delay of which the provider has not spoken.
                    OR \(FixtureSQL.hasNotStarted("f.status")) AND $1::double precision > 0
                        AND f.starts_at <= clock_timestamp() + $1::double precision * interval '1 second'
                        AND f.starts_at > clock_timestamp() - interval '1 hour')
            ORDER BY match_id
            """, [lead.parameter])
        return try rows.map { MatchID(try $0.int64("match_id")) }
    }

    /// Gives up the starts of generations whose tries are used up and whose last lease has passed.
    /// - Returns: how many were given up.
    package func giveUpStarts(under lease: Lease) async throws -> Int {
        try await repeated(
            lease,
            """
            WITH \(LeaseGuard.sql(name: 1, epoch: 2)), picked AS (
                SELECT match_id, user_id, device_id, generation FROM live_activities
                WHERE status = 'pending' AND start_given_up_at IS NULL AND start_attempts >= $3::int
                    AND start_lease_until <= clock_timestamp()
                LIMIT $4::bigint
            ), changed AS (
                UPDATE live_activities AS a SET start_given_up_at = clock_timestamp() FROM lease_guard, picked
                WHERE a.match_id = picked.match_id AND a.user_id = picked.user_id
                    AND a.device_id = picked.device_id AND a.generation = picked.generation
                    AND a.status = 'pending' AND a.start_lease_until <= clock_timestamp()
                RETURNING 1
            )
            SELECT EXISTS (SELECT 1 FROM lease_guard) AS held, (SELECT count(*) FROM changed) AS taken,
                NULL AS matches
            """, [.int(StartPolicy.triesMax), .int(batchSize)]
        ).rows
    }
}
