import Postgres
package import Store

extension OrchestratorStore {
    /// What a look at the classes without a channel has found.
    package struct ChannelLook: Sendable {
        /// The number of channels asked for.
        package let asked: Int
        /// The snapshot of the database that was looked at.
        let snapshot: String?
        /// How many more phones each class must have at least before it can be large enough: a list in JSON.
        let rooms: String?
    }

    /// Asks for a channel for each class of a match's followers that is large enough and has none. The holders of the
    /// channels' shards have APNs make them. Nothing is asked for in an environment where a channel was refused, nor
    /// for a class whose channel was lost, in the last hour.
    ///
    /// A class is counted at its first look, and again when as many phones have come as it lacked.
    /// Those that have come are found by the marks of follows and phones, so a pass without change reads no followers.
    /// - Parameters:
    ///   - followers: the number of phones that a channel is worth.
    ///   - last: the look of the pass before, with the same number; nil to count all classes.
    @discardableResult
    package func askForChannels(
        followers: Int, since last: ChannelLook? = nil, under lease: Lease
    ) async throws -> ChannelLook {
        let look = PostgresStatement(
            Self.lookStatement,
            [.int(followers), PostgresValue(last?.snapshot), PostgresValue(last?.rooms)])
        let found = try await pool.exchange(
            [PostgresStatement(Self.countSettings), look], deadline: Self.countDeadline)
        let row = found[1].rows.first
        var asked = 0
        if let wanted = try row?.optionalString("wanted") {
            let rows = try await pool.query(Self.askStatement, lease.parameters + [.text(wanted)])
            try lease.check(rows)
            asked = try rows.first?.int("asked") ?? 0
        }
        return ChannelLook(
            asked: asked, snapshot: try row?.string("snapshot"), rooms: try row?.optionalString("rooms"))
    }

    /// Counting the followers of many large matches takes seconds; it holds no lock.
    private static let countDeadline = Duration.seconds(30)
    /// The planner keeps its plan of a statement; one made while the tables were nearly empty would read all of them.
    private static let countSettings = """
        SELECT set_config('enable_seqscan', 'off', true), set_config('statement_timeout', '30s', true)
        """

    /// A condition on a mark of `match_follows` or `devices`: its transaction was not seen by the look before. The mark
    /// of a restored dump may lie in this server's future, and tells of nothing.
    private static func hasCome(_ mark: String) -> String {
        """
        (\(mark) >= pg_snapshot_xmin($2::pg_snapshot) AND \(mark) < pg_snapshot_xmax(pg_current_snapshot())
            AND NOT pg_visible_in_snapshot(\(mark), $2::pg_snapshot))
        """
    }

    /// Who has left is not noticed, so a room may be too small; then the class is counted once more. Followers are
    /// counted up to the number that is wanted, and not at all where the environment has fewer phones.
    private static let lookStatement = """
        WITH lacking AS MATERIALIZED (
            SELECT m.match_id, e.environment, k.class, k.alerts FROM (
                SELECT match_id FROM fixtures AS f LEFT JOIN active_matches AS a USING (match_id)
                WHERE \(ChannelSQL.hasActivities) AND a.settled_at IS NULL
                UNION
                SELECT match_id FROM active_matches AS a LEFT JOIN fixtures AS f USING (match_id)
                WHERE f.match_id IS NULL AND \(ChannelSQL.hasActivities) AND a.settled_at IS NULL
            ) AS m
            CROSS JOIN (VALUES ('production'), ('sandbox')) AS e (environment)
            CROSS JOIN (VALUES (0, 'all'), (1, 'key'), (2, 'none')) AS k (class, alerts)
            WHERE NOT EXISTS (
                    SELECT FROM broadcast_channels AS c
                    WHERE c.match_id = m.match_id AND c.environment = e.environment AND c.class = k.class
                        AND (\(ChannelSQL.isCurrent("c"))
                            OR c.lost_at > clock_timestamp() - interval '1 hour'))
                AND NOT EXISTS (
                    SELECT FROM broadcast_stops AS s
                    WHERE s.environment = e.environment AND s.since > clock_timestamp() - interval '1 hour')
        ), come AS MATERIALIZED (
            SELECT one.match_id, one.environment, one.alerts, count(*) AS count FROM (
                SELECT w.match_id, d.environment, w.alerts FROM (
                    SELECT match_id, user_id, alerts FROM match_follows
                    WHERE \(hasCome("alerts_xid")) AND expires_at IS NULL OFFSET 0
                ) AS w CROSS JOIN LATERAL (
                    SELECT d.environment FROM devices AS d
                    WHERE d.user_id = w.user_id AND \(ChannelSQL.canListen) OFFSET 0
                ) AS d
                UNION ALL
                SELECT w.match_id, d.environment, w.alerts FROM (
                    SELECT d.user_id, d.environment FROM devices AS d
                    WHERE \(hasCome("d.listens_xid")) AND \(ChannelSQL.canListen) OFFSET 0
                ) AS d CROSS JOIN LATERAL (
                    SELECT w.match_id, w.alerts FROM match_follows AS w WHERE w.user_id = d.user_id OFFSET 0
                ) AS w
            ) AS one
            GROUP BY one.match_id, one.environment, one.alerts
        ), looked AS MATERIALIZED (
            SELECT l.match_id, l.environment, l.class,
                CASE WHEN known.room > coalesce(come.count, 0) THEN known.room - coalesce(come.count, 0)
                    ELSE $1::bigint - (
                        SELECT CASE WHEN listening.count < $1 THEN listening.count ELSE (
                            SELECT count(*) FROM (
                                SELECT FROM match_follows AS w JOIN devices AS d ON d.user_id = w.user_id
                                WHERE w.match_id = l.match_id AND w.alerts = l.alerts
                                    AND d.environment = l.environment AND \(ChannelSQL.canListen)
                                LIMIT $1
                            ) AS one) END
                        FROM (
                            SELECT count(*) AS count FROM (
                                SELECT FROM devices AS d
                                WHERE d.environment = l.environment AND \(ChannelSQL.canListen) LIMIT $1
                            ) AS one
                        ) AS listening
                    ) END AS room
            FROM lacking AS l
            LEFT JOIN jsonb_to_recordset($3::jsonb)
                AS known (match_id bigint, environment text, class int, room bigint)
                USING (match_id, environment, class)
            LEFT JOIN come USING (match_id, environment, alerts)
        )
        SELECT pg_current_snapshot()::text AS snapshot,
            (SELECT jsonb_agg(looked) FROM looked WHERE room > 0)::text AS rooms,
            (SELECT jsonb_agg(looked) FROM looked WHERE room <= 0)::text AS wanted
        """

    private static let askStatement = """
        WITH \(LeaseGuard.sql(name: 1, epoch: 2)), asked AS (
            INSERT INTO broadcast_channels (match_id, environment, class, generation, shard)
            SELECT w.match_id, w.environment, w.class,
                coalesce((SELECT max(c.generation) FROM broadcast_channels AS c
                    WHERE c.match_id = w.match_id AND c.environment = w.environment AND c.class = w.class), 0) + 1,
                -- Spread over the shards.
                (w.match_id + 21 * w.class) % 64
            FROM lease_guard
            CROSS JOIN jsonb_to_recordset($3::jsonb) AS w (match_id bigint, environment text, class int)
            ON CONFLICT DO NOTHING
            RETURNING 1
        )
        SELECT EXISTS (SELECT 1 FROM lease_guard) AS held, (SELECT count(*) FROM asked) AS asked
        """
}
