import Activities
import Store

extension InspectStore {
    /// The activities of match `$1`, counted by their state.
    static let activitiesStatement = """
        SELECT a.status, a.end_reason, a.end_push, a.start_attempts > 0 AS tried,
            a.status = 'pending' AND coalesce(\(isLeased), false) AS leased,
            a.status = 'pending' AND coalesce(\(isGivenUp), false) AS given_up,
            a.status = 'active' AND a.renewal_due_at IS NOT NULL AS is_renewing, count(*) AS count
        FROM live_activities AS a WHERE a.match_id = $1::bigint GROUP BY 1, 2, 3, 4, 5, 6, 7
        """

    /// The phones of the followers of match `$1`, and the followers without one, counted by their state.
    static let audienceStatement = """
        SELECT coalesce(f.expires_at <= clock_timestamp(), false) AS is_expired,
            d.live_activities_enabled AS is_enabled, d.push_to_start_token IS NOT NULL AS has_token, a.status,
            a.start_attempts > 0 AS tried, coalesce(\(isLeased), false) AS leased,
            coalesce(\(isGivenUp), false) AS given_up, count(*) AS count
        FROM match_follows AS f
        LEFT JOIN devices AS d ON d.user_id = f.user_id
        LEFT JOIN live_activities AS a
            ON a.match_id = $1 AND a.user_id = d.user_id AND a.device_id = d.device_id AND a.status <> 'ended'
        WHERE f.match_id = $1::bigint GROUP BY 1, 2, 3, 4, 5, 6, 7
        """

    /// Capable phones of followers of match `$1` that have no activity, or one whose start may go out, `$2` at most,
    /// counted by the cap they have reached.
    static let capsStatement = """
        SELECT has_record, cap, count(*) AS count FROM (
            SELECT p.has_record, \(cap)
            FROM (
                SELECT d.user_id, d.device_id, a.status IS NOT NULL AS has_record
                FROM match_follows AS f
                JOIN devices AS d ON d.user_id = f.user_id AND \(LiveMatch.capableDevice)
                LEFT JOIN live_activities AS a
                    ON a.match_id = $1 AND a.user_id = d.user_id AND a.device_id = d.device_id AND a.status <> 'ended'
                WHERE f.match_id = $1::bigint AND (f.expires_at IS NULL OR f.expires_at > clock_timestamp())
                    AND (a.status IS NULL OR a.status = 'pending' AND NOT coalesce(\(isGivenUp), false)
                        AND NOT coalesce(\(isLeased), false))
                LIMIT $2::bigint
            ) AS p
            CROSS JOIN LATERAL (\(sent(user: "p.user_id", device: "p.device_id"))) AS sent
        ) AS counted GROUP BY 1, 2
        """
}
