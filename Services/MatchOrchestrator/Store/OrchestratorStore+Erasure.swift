import Postgres
package import Store

extension OrchestratorStore {
    /// An end push expires after this many hours and is not sent any more.
    static let endPushHours = 4
    /// A phone that is to end a card on a channel is asked for so long; iOS takes the card away after that.
    static let askedHours = 8
    /// A tombstone is kept longer than a bearer token can live (Cognito's limit is a day), so that no token outlives
    /// it.
    static let tombstoneHours = 48
    /// After this many seconds, all that was written by requests in flight at a deletion has been committed.
    static let settlingSeconds = 60

    /// The accounts that were deleted a while ago and of which rows may be left. Rows made before `until` belong to the
    /// deleted account, later ones to a user who came back. The wait gives the coordinators time to learn of an end
    /// from the changed row.
    private static let deleted = """
        SELECT user_id, deleted_at + interval '\(AccountErasure.margin) seconds' AS until
        FROM deleted_users
        WHERE erased_at IS NULL
            AND deleted_at <= clock_timestamp() - interval '\(AccountErasure.margin) seconds'
        ORDER BY deleted_at
        """

    /// A condition on a row `t` of `live_activities`: nothing is to be sent for it any more. The end of an activity
    /// with a token stays `due` until a coordinator has sent it, so no coordinator goes on pushing for a row whose end
    /// it never saw. One that listened to a channel is what its phone is asked about.
    private static let isDone = """
        (t.status = 'ended'
            AND NOT (\(ChannelSQL.listens("t")) AND EXISTS (
                SELECT FROM devices AS d
                WHERE d.user_id = t.user_id AND d.device_id = t.device_id AND \(isToBeAsked("d"))))
            AND t.ended_at <= clock_timestamp() - interval '\(AccountErasure.margin) seconds'
            AND (t.end_push <> 'due' OR t.ended_at <= clock_timestamp() - interval '\(endPushHours) hours'))
        """

    /// The time when the phone of a row of `devices` was last in use; a phone that is in use again is not erased.
    private static func lastSign(_ row: String) -> String {
        "greatest(\(row).last_seen_at, \(row).device_token_at, \(row).push_to_start_token_at)"
    }

    /// A condition on a row of `devices`: a silent push is due, or has just left, that has the app end a card.
    private static func isToBeAsked(_ row: String) -> String {
        """
        (\(row).device_token IS NOT NULL AND \(row).left_at > clock_timestamp() - interval '\(askedHours) hours'
            -- A push that APNs has not taken is due again.
            AND (\(row).reconcile_due_at IS NOT NULL
                OR \(row).reconcile_sent_at > clock_timestamp() - interval '1 minute'))
        """
    }

    /// A condition on a row `t` of `devices`: its activities have ended and owe no end, and its app is not to be asked. The `CASE` keeps the planner
    /// from walking over all ends that are due.
    private static let hasNothingToDo = """
        NOT \(isToBeAsked("t")) IS TRUE AND NOT EXISTS (
            SELECT FROM live_activities AS a WHERE a.user_id = t.user_id AND a.device_id = t.device_id
                AND CASE WHEN a.status = 'ended' THEN a.end_push = 'due' ELSE true END)
        """

    /// Erases the rows that deleted accounts have left, and the deletions themselves after two days.
    ///
    /// An activity that a request in flight has made all the same loses its follow here, and `endUnfollowed` then ends
    /// it. The phone of a user who came back was seen after the deletion and stays.
    ///
    /// - Returns: the number of follows that were erased.
    package func eraseDeletedUsers(under lease: Lease) async throws -> Int {
        let follows = try await erase(
            lease, from: "match_follows", key: ["match_id", "user_id"], where: "t.created_at < u.until")
        try await erase(
            lease, from: "live_activities", key: ["match_id", "user_id", "device_id", "generation"],
            where: "t.created_at < u.until AND \(Self.isDone)")
        try await erase(
            lease, from: "devices", key: ["user_id", "device_id"],
            where: "\(Self.lastSign("t")) < u.until AND \(Self.hasNothingToDo)")
        try await noteErased(lease)
        _ = try await repeated(
            lease,
            Self.deleteStatement(
                from: "deleted_users", key: ["user_id"],
                where: """
                    t.erased_at IS NOT NULL
                    AND t.deleted_at <= clock_timestamp() - interval '\(Self.tombstoneHours) hours'
                    """), [.int(batchSize)])
        return follows
    }

    /// Deletes, in batches, the rows `t` of deleted users `u` for which `condition` holds; it is checked again when a
    /// row is locked. Each user's rows are found by index (`OFFSET 0` keeps it so), however many other users have.
    @discardableResult private func erase(
        _ lease: Lease, from table: String, key: [String], where condition: String
    ) async throws -> Int {
        let columns = key.map { "t.\($0)" }.joined(separator: ", ")
        let same = key.map { "t.\($0) = u.\($0)" }.joined(separator: " AND ")
        return try await repeated(
            lease,
            """
            WITH \(LeaseGuard.sql(name: 1, epoch: 2)), picked AS MATERIALIZED (
                SELECT own.*, u.until FROM (\(Self.deleted)) AS u CROSS JOIN LATERAL (
                    SELECT \(columns) FROM \(table) AS t WHERE t.user_id = u.user_id AND \(condition) OFFSET 0) AS own
                LIMIT $3::bigint
            ), gone AS (
                DELETE FROM \(table) AS t USING lease_guard, picked AS u WHERE \(same) AND \(condition) RETURNING 1
            )
            SELECT EXISTS (SELECT 1 FROM lease_guard) AS held, (SELECT count(*) FROM gone) AS taken, NULL AS matches
            """, [.int(batchSize)]
        ).rows
    }

    /// Marks accounts of which nothing is left, so that they are not searched again.
    private func noteErased(_ lease: Lease) async throws {
        _ = try await repeated(
            lease,
            """
            WITH \(LeaseGuard.sql(name: 1, epoch: 2)), picked AS MATERIALIZED (
                SELECT u.user_id FROM (\(Self.deleted)) AS u
                WHERE u.until <= clock_timestamp() - interval '\(Self.settlingSeconds) seconds'
                    AND NOT EXISTS (
                        SELECT FROM match_follows AS f WHERE f.user_id = u.user_id AND f.created_at < u.until)
                    AND NOT EXISTS (
                        SELECT FROM live_activities AS a WHERE a.user_id = u.user_id AND a.created_at < u.until)
                    AND NOT EXISTS (
                        SELECT FROM devices AS d WHERE d.user_id = u.user_id AND \(Self.lastSign("d")) < u.until)
                LIMIT $3::bigint
            ), noted AS (
                UPDATE deleted_users AS d SET erased_at = clock_timestamp() FROM lease_guard, picked
                WHERE d.user_id = picked.user_id AND d.erased_at IS NULL
                    AND d.deleted_at <= clock_timestamp() - interval '\(Self.settlingSeconds) seconds'
                RETURNING 1
            )
            SELECT EXISTS (SELECT 1 FROM lease_guard) AS held, (SELECT count(*) FROM noted) AS taken, NULL AS matches
            """, [.int(batchSize)])
    }
}
