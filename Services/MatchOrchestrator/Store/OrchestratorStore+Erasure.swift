import Postgres
package import Store

extension OrchestratorStore {
    /// An end push expires after so long: then nobody owes it any more.
    static let endPushHours = 4
    /// Longer than a bearer token can live (Cognito's limit is a day), so that none outlives the memory of its account.
    static let tombstoneHours = 48
    /// What a request that was under way at a deletion writes has been committed by then.
    static let settlingSeconds = 60

    /// Accounts that were deleted a while ago and of which something may be left; `until`: rows made before then are the
    /// deleted account's, later ones are of a user who came back. The while is for the coordinators, who learn of an
    /// end from the changed row.
    private static let deleted = """
        SELECT user_id, deleted_at + interval '\(AccountErasure.margin) seconds' AS until
        FROM deleted_users
        WHERE erased_at IS NULL
            AND deleted_at <= clock_timestamp() - interval '\(AccountErasure.margin) seconds'
        ORDER BY deleted_at
        """

    /// Of a row `t` of `live_activities`: nothing is to be sent for it any more. An activity that had a token is `due`
    /// until a coordinator has taken the end into its hands, so none goes on pushing to a row it never saw end.
    private static let isDone = """
        (t.status = 'ended' AND t.ended_at <= clock_timestamp() - interval '\(AccountErasure.margin) seconds'
            AND (t.end_push <> 'due' OR t.ended_at <= clock_timestamp() - interval '\(endPushHours) hours'))
        """

    /// When the phone of a row of `devices` last gave a sign of life: a phone that is in use again is not erased.
    private static func lastSign(_ row: String) -> String {
        "greatest(\(row).last_seen_at, \(row).device_token_at, \(row).push_to_start_token_at)"
    }

    /// Of a row `t` of `devices`. The `CASE` keeps the planner from looking through everybody's ends that are due.
    private static let hasNothingToDo = """
        NOT EXISTS (
            SELECT FROM live_activities AS a WHERE a.user_id = t.user_id AND a.device_id = t.device_id
                AND CASE WHEN a.status = 'ended' THEN a.end_push = 'due' ELSE true END)
        """

    /// Erases what deleted accounts have left, and forgets the deletions themselves after two days.
    ///
    /// Activities that a request under way has made after all are ended first, by `endUnfollowed`: their follow goes
    /// here. A phone that is in use again, because its user came back, was seen after the deletion.
    ///
    /// - Returns: how many follows went.
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
                    """), [.int(bite)])
        return follows
    }

    /// Deletes a bite of what `condition` says of `t`, a row of the deleted user `u`, looked at again when the row is
    /// locked. Each user's rows are found by index (`OFFSET 0` keeps it so), however many others have.
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
            """, [.int(bite)]
        ).rows
    }

    /// Accounts of which nothing is left are not looked at again.
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
            """, [.int(bite)])
    }
}
