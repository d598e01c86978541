import Activities
import Postgres
package import Store

extension OrchestratorStore {
    /// Has the phones asked to which a start may have gone in the time that the database lost when it went back. What is
    /// pending there becomes a card that may be there or not (`MissingCard.unknown`), so that the
    /// phone's answer, or its app's next contact, decides.
    /// - Returns: the number of such cards.
    package func askAfterLostTime(under lease: Lease) async throws -> Int {
        try await repeated(
            lease,
            """
            WITH \(LeaseGuard.sql(name: 1, epoch: 2)), picked AS MATERIALIZED (
                SELECT l.match_id, l.user_id, l.device_id, l.generation
                FROM live_activities l JOIN devices d ON d.user_id = l.user_id AND d.device_id = l.device_id
                WHERE l.status = 'pending' AND \(LostTimeSQL.isRecent) AND \(LostTimeSQL.mayHaveCard(of: "l.match_id"))
                ORDER BY d.user_id, d.device_id LIMIT $3::bigint
                FOR UPDATE OF d SKIP LOCKED
            ), asked AS (
                UPDATE devices d SET reconcile_due_at = coalesce(d.reconcile_due_at, clock_timestamp())
                FROM lease_guard, picked p
                WHERE d.user_id = p.user_id AND d.device_id = p.device_id AND d.device_token IS NOT NULL
            ), changed AS (
                UPDATE live_activities l
                SET status = 'ended', end_reason = 'token_invalid', ended_at = clock_timestamp(), card = 'unknown'
                FROM lease_guard, picked p
                WHERE l.match_id = p.match_id AND l.user_id = p.user_id AND l.device_id = p.device_id
                    AND l.generation = p.generation AND l.status = 'pending'
                RETURNING 1
            )
            SELECT EXISTS (SELECT 1 FROM lease_guard) AS held, (SELECT count(*) FROM changed) AS taken, NULL AS matches
            """, [.int(batchSize)]
        ).rows
    }
}
