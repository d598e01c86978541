import Postgres
package import Store

extension OrchestratorStore {
    /// Asks for a channel for each class of a match's followers that is large enough and has none. The holders of the
    /// channels' shards have APNs make them. Nothing is asked for in an environment where a channel was refused, nor
    /// for a class whose channel was lost, in the last hour.
    ///
    /// - Parameter followers: the number of phones that a channel is worth.
    /// - Returns: the number of channels asked for.
    @discardableResult
    package func askForChannels(followers: Int, under lease: Lease) async throws -> Int {
        let rows = try await pool.query(Self.askStatement, lease.parameters + [.int(followers)])
        try lease.check(rows)
        return try rows.first?.int("asked") ?? 0
    }

    /// Followers are counted up to the number that is wanted. A class without a channel has few of them, or gets one.
    private static let askStatement = """
        WITH \(LeaseGuard.sql(name: 1, epoch: 2)), wanted AS MATERIALIZED (
            SELECT m.match_id, e.environment, k.class FROM (
                SELECT match_id FROM fixtures AS f LEFT JOIN active_matches AS a USING (match_id)
                WHERE \(ChannelSQL.hasActivities) AND a.settled_at IS NULL
                UNION
                SELECT match_id FROM active_matches AS a LEFT JOIN fixtures AS f USING (match_id)
                WHERE f.match_id IS NULL AND \(ChannelSQL.hasActivities) AND a.settled_at IS NULL
            ) AS m
            CROSS JOIN (VALUES ('production'), ('sandbox')) AS e (environment)
            CROSS JOIN (VALUES (0, 'all'), (1, 'key'), (2, 'none')) AS k (class, alerts)
            CROSS JOIN LATERAL (
                SELECT count(*) AS count FROM (
                    SELECT FROM match_follows AS w JOIN devices AS d ON d.user_id = w.user_id
                    WHERE w.match_id = m.match_id AND w.alerts = k.alerts AND d.environment = e.environment
                        AND d.broadcast AND \(LiveMatch.capableDevice)
                    LIMIT $3::bigint
                ) AS one
            ) AS capable
            WHERE capable.count >= $3
                AND NOT EXISTS (
                    SELECT FROM broadcast_channels AS c
                    WHERE c.match_id = m.match_id AND c.environment = e.environment AND c.class = k.class
                        AND (\(ChannelSQL.isCurrent("c"))
                            OR c.lost_at > clock_timestamp() - interval '1 hour'))
                AND NOT EXISTS (
                    SELECT FROM broadcast_stops AS s
                    WHERE s.environment = e.environment AND s.since > clock_timestamp() - interval '1 hour')
        ), asked AS (
            INSERT INTO broadcast_channels (match_id, environment, class, generation, shard)
            SELECT w.match_id, w.environment, w.class,
                coalesce((SELECT max(c.generation) FROM broadcast_channels AS c
                    WHERE c.match_id = w.match_id AND c.environment = w.environment AND c.class = w.class), 0) + 1,
                -- Spread over the shards.
                (w.match_id + 21 * w.class) % 64
            FROM lease_guard, wanted AS w
            ON CONFLICT DO NOTHING
            RETURNING 1
        )
        SELECT EXISTS (SELECT 1 FROM lease_guard) AS held, (SELECT count(*) FROM asked) AS asked
        """
}
