import Postgres
import SightscreenModels
package import Store

extension OrchestratorStore {
    /// A device that was not seen for this many days is removed.
    static let deviceRetentionDays = 90
    /// The number of days that a match stays in the schedule after its start.
    static let fixtureRetentionDays = 90

    /// The number of days for which a follow waits for a match that the provider does not list, or never ends.
    static let waitingFollowDays = 90

    /// The condition that the match of a follow `f` is over, with its rows `a` in play and `x` in the schedule, which may
    /// be missing: it has a result, or will not be played. One that is not listed any more may have been moved, and is
    /// over when its follow has waited for very long.
    private static let isOver = """
        (a.ended_at IS NOT NULL AND (a.settled_at IS NOT NULL OR a.display_state IN ('completed', 'abandoned'))
            OR (a.match_id IS NULL OR a.ended_at IS NOT NULL)
                AND (x.match_id IS NULL OR \(FixtureSQL.isOver("x.status"))
                    OR greatest(f.created_at, least(x.starts_at, x.missing_since))
                        < clock_timestamp() - interval '\(Self.waitingFollowDays) days'))
        """

    /// Sets the follows of matches that are over to expire `retention` from now, and undoes it for matches that are not
    /// over after all (reopened, or moved to another day).
    package func expireFollows(after retention: Duration, under lease: Lease) async throws {
        for match in try await overMatches() {
            _ = try await repeated(
                lease,
                """
                WITH \(LeaseGuard.sql(name: 1, epoch: 2)), picked AS MATERIALIZED (
                    SELECT f.match_id, f.user_id FROM match_follows AS f
                    LEFT JOIN active_matches AS a ON a.match_id = f.match_id
                    LEFT JOIN fixtures AS x ON x.match_id = f.match_id
                    WHERE f.match_id = $4::bigint AND f.expires_at IS NULL AND \(Self.isOver)
                    ORDER BY f.match_id, f.user_id LIMIT $3::bigint
                ), changed AS (
                    UPDATE match_follows AS f
                    SET expires_at = clock_timestamp() + $5::double precision * interval '1 second'
                    FROM lease_guard, picked
                    WHERE f.match_id = picked.match_id AND f.user_id = picked.user_id AND f.expires_at IS NULL
                    RETURNING 1
                )
                SELECT EXISTS (SELECT 1 FROM lease_guard) AS held, (SELECT count(*) FROM changed) AS taken,
                    NULL AS matches
                """, [.int(batchSize), .int(match.rawValue), retention.parameter])
        }
        _ = try await repeated(
            lease,
            """
            WITH \(LeaseGuard.sql(name: 1, epoch: 2)), picked AS MATERIALIZED (
                SELECT f.match_id, f.user_id FROM match_follows AS f
                LEFT JOIN active_matches AS a ON a.match_id = f.match_id
                LEFT JOIN fixtures AS x ON x.match_id = f.match_id
                WHERE f.expires_at IS NOT NULL AND NOT \(Self.isOver)
                LIMIT $3::bigint
            ), changed AS (
                UPDATE match_follows AS f SET expires_at = NULL FROM lease_guard, picked
                WHERE f.match_id = picked.match_id AND f.user_id = picked.user_id RETURNING 1
            )
            SELECT EXISTS (SELECT 1 FROM lease_guard) AS held, (SELECT count(*) FROM changed) AS taken, NULL AS matches
            """, [.int(batchSize)])
    }

    /// Returns the matches that may be over and have follows without an expiry.
    private func overMatches() async throws -> [MatchID] {
        let rows = try await pool.query(
            """
            SELECT over.match_id FROM (
                SELECT match_id FROM active_matches WHERE ended_at IS NOT NULL
                UNION
                SELECT x.match_id FROM fixtures AS x
                WHERE \(FixtureSQL.isOver("x.status")) OR least(x.starts_at, x.missing_since)
                    < clock_timestamp() - interval '\(Self.waitingFollowDays) days'
            ) AS over
            WHERE EXISTS (SELECT 1 FROM match_follows AS f WHERE f.match_id = over.match_id AND f.expires_at IS NULL)
            ORDER BY over.match_id
            """)
        return try rows.map { MatchID(try $0.int64("match_id")) }
    }

    /// Removes expired rows: follows, ended activities and matches, old fixtures, counts of bad tokens, claims of
    /// device tokens, holds of matches that are over.
    package func purge(after retention: Duration, under lease: Lease) async throws {
        _ = try await repeated(
            lease,
            Self.deleteStatement(
                from: "match_follows", key: ["match_id", "user_id"], where: "t.expires_at <= clock_timestamp()"),
            [.int(batchSize)])
        // While a match goes on, its ended rows keep the count of generations.
        _ = try await repeated(
            lease,
            Self.deleteStatement(
                from: "live_activities", key: ["match_id", "user_id", "device_id", "generation"],
                where: """
                    t.status = 'ended'
                    AND t.ended_at <= clock_timestamp() - $4::double precision * interval '1 second'
                    AND NOT EXISTS (
                        SELECT 1 FROM active_matches AS m WHERE m.match_id = t.match_id AND m.ended_at IS NULL)
                    """), [.int(batchSize), retention.parameter])
        for (table, key) in [
            ("match_updates", ["match_id", "version"]),
            ("alert_claims", ["match_id", "alert_version", "bucket", "delay"]),
            ("bucket_progress", ["match_id", "bucket", "delay"]), ("fanout_progress", ["match_id", "coordinator"]),
            // This table comes last, because the others are deleted by its rows.
            ("active_matches", ["match_id"]),
        ] {
            _ = try await repeated(
                lease,
                Self.deleteStatement(
                    from: table, key: key,
                    where: """
                        t.match_id IN (SELECT m.match_id FROM active_matches AS m WHERE \(Self.leaves))
                        """), [.int(batchSize), retention.parameter])
        }
        _ = try await repeated(
            lease,
            Self.deleteStatement(
                from: "fixtures", key: ["match_id"],
                where: """
                    (t.starts_at < clock_timestamp() - interval '\(Self.fixtureRetentionDays) days'
                        OR t.missing_since < clock_timestamp() - interval '7 days')
                    AND NOT EXISTS (SELECT 1 FROM match_follows AS f WHERE f.match_id = t.match_id)
                    """), [.int(batchSize)])
        _ = try await repeated(
            lease,
            Self.deleteStatement(from: "bad_tokens", key: ["user_id"], where: BadTokenSQL.isOver("t")),
            [.int(batchSize)])
        _ = try await repeated(
            lease,
            Self.deleteStatement(
                from: "phone_claims", key: ["token_key", "user_id"],
                where: "greatest(t.claimed_at, t.refused_at) <= clock_timestamp() - \(PhoneClaimSQL.refusal)"),
            [.int(batchSize)])
        try await forgetReconciles(lease)
        try await purgeHolds(after: retention, lease)
        // Until then its generation must not be given to another channel.
        _ = try await repeated(
            lease,
            Self.deleteStatement(
                from: "broadcast_channels", key: ["match_id", "environment", "class", "generation"],
                where: """
                    coalesce(t.deleted_at, t.lost_at, CASE WHEN t.channel_id IS NULL THEN t.created_at END)
                        <= clock_timestamp() - $4::double precision * interval '1 second'
                    """), [.int(batchSize), retention.parameter])
    }

    /// A condition on a row `m` of `active_matches`: nothing has to be known of the match any more. A silent match
    /// leaves after a day, but not while the provider still repeats it: without its row it would be taken for a match
    /// that has just begun. Its bus holds it while frames come.
    private static let leaves = """
        (CASE WHEN m.end_reason = 'silent' THEN
            m.ended_at <= clock_timestamp() - interval '24 hours'
            AND NOT EXISTS (
                SELECT 1 FROM leases AS l WHERE l.name = 'match:' || m.match_id AND l.expires_at > clock_timestamp())
            AND NOT EXISTS (
                SELECT 1 FROM fixtures AS x WHERE x.match_id = m.match_id AND x.missing_since IS NULL
                    AND (\(FixtureSQL.isInPlay("x.status")) OR \(FixtureSQL.isAtStumps("x.status"))))
        ELSE m.ended_at <= clock_timestamp() - $4::double precision * interval '1 second'
            AND NOT EXISTS (SELECT 1 FROM match_follows AS f WHERE f.match_id = m.match_id) END)
        """

    /// Forgets silent pushes that were never sent: the match is over, was unfollowed, or the phone has no device token.
    private func forgetReconciles(_ lease: Lease) async throws {
        _ = try await repeated(
            lease,
            """
            WITH \(LeaseGuard.sql(name: 1, epoch: 2)), picked AS MATERIALIZED (
                SELECT d.user_id, d.device_id FROM devices AS d
                -- In any order: in that of the phones all of them would be walked over to find none.
                WHERE d.reconcile_due_at < clock_timestamp() - interval '1 day'
                LIMIT $3::bigint FOR UPDATE SKIP LOCKED
            ), changed AS (
                UPDATE devices AS d SET reconcile_due_at = NULL FROM lease_guard, picked
                WHERE d.user_id = picked.user_id AND d.device_id = picked.device_id RETURNING 1
            )
            SELECT EXISTS (SELECT 1 FROM lease_guard) AS held, (SELECT count(*) FROM changed) AS taken, NULL AS matches
            """, [.int(batchSize)])
    }

    /// Removes the holds of matches that have nothing left to send and nothing to come.
    private func purgeHolds(after retention: Duration, _ lease: Lease) async throws {
        _ = try await repeated(
            lease,
            Self.deleteStatement(
                from: "holds", key: ["scope"],
                where: """
                    t.match_id IS NOT NULL
                    AND t.set_at <= clock_timestamp() - $4::double precision * interval '1 second'
                    AND NOT EXISTS (SELECT 1 FROM active_matches AS m WHERE m.match_id = t.match_id)
                    AND NOT EXISTS (SELECT 1 FROM live_activities AS l WHERE l.match_id = t.match_id)
                    AND NOT EXISTS (
                        SELECT 1 FROM fixtures AS x WHERE x.match_id = t.match_id AND NOT \(FixtureSQL.isOver("x.status")))
                    """), [.int(batchSize), retention.parameter])
    }

    /// Removes devices that were not seen for 90 days. It reads every device, so it does not run in every pass.
    package func purgeDevices(under lease: Lease) async throws {
        let isUnseen = "last_seen_at < clock_timestamp() - interval '\(Self.deviceRetentionDays) days'"
        while true {
            // The search takes seconds with millions of devices, so it runs before the statement that locks the lease.
            let unseen = try await pool.query(
                "SELECT user_id, device_id FROM devices WHERE \(isUnseen) LIMIT $1::bigint", [.int(batchSize)])
            let rows = try await pool.query(
                """
                WITH \(LeaseGuard.sql(name: 1, epoch: 2)), gone AS (
                    DELETE FROM devices AS d USING lease_guard, unnest($3::text[], $4::text[]) AS picked (user_id, device_id)
                    WHERE d.user_id = picked.user_id AND d.device_id = picked.device_id AND d.\(isUnseen)
                    RETURNING d.user_id, d.device_id
                ), ended AS (
                    UPDATE live_activities AS a SET
                        status = 'ended', end_reason = 'token_invalid', ended_at = clock_timestamp(), end_push = 'none'
                    FROM gone
                    WHERE a.user_id = gone.user_id AND a.device_id = gone.device_id AND a.status <> 'ended'
                )
                SELECT EXISTS (SELECT 1 FROM lease_guard) AS held, (SELECT count(*) FROM gone) AS gone
                """,
                lease.parameters + [
                    .textArray(try unseen.map { try $0.string("user_id") }),
                    .textArray(try unseen.map { try $0.string("device_id") }),
                ])
            try lease.check(rows)
            if unseen.count < batchSize { return }
        }
    }

    /// Builds the statement that deletes a batch of rows `t` for which `condition` holds; it is checked again when a
    /// row is locked. `$3` is the batch size.
    static func deleteStatement(from table: String, key: [String], where condition: String) -> String {
        let columns = key.map { "t.\($0)" }.joined(separator: ", ")
        let same = key.map { "t.\($0) = picked.\($0)" }.joined(separator: " AND ")
        return """
            WITH \(LeaseGuard.sql(name: 1, epoch: 2)), picked AS MATERIALIZED (
                SELECT \(columns) FROM \(table) AS t WHERE \(condition) LIMIT $3::bigint
            ), gone AS (
                DELETE FROM \(table) AS t USING lease_guard, picked WHERE \(same) AND (\(condition)) RETURNING 1
            )
            SELECT EXISTS (SELECT 1 FROM lease_guard) AS held, (SELECT count(*) FROM gone) AS taken, NULL AS matches
            """
    }
}
