package import Postgres
package import SightscreenModels

/// The erasure of an account. It takes effect at once: follows are removed, activities end, phones lose their tokens.
/// The orchestrator erases the remaining rows when their last pushes are out.
package enum AccountErasure {
    /// In seconds: rows made within this time after a deletion belong to the deleted account, because requests were in
    /// flight and gateways had not heard of it yet.
    package static let margin = 5

    package struct Deletion: Hashable, Sendable {
        /// Seconds since 1970, rounded up.
        package var deletedAt: Int
        /// The matches with activities that ended; the coordinators have ends to send for them.
        package var changedMatches: Set<MatchID>

        package init(deletedAt: Int, changedMatches: Set<MatchID>) {
            self.deletedAt = deletedAt
            self.changedMatches = changedMatches
        }
    }

    package static let deletedAtColumn = "ceil(extract(epoch FROM deleted_at))::bigint AS deleted_at"

    /// A condition on a row `d` of `devices`: its app is to be asked what it shows, because of a card that may be there or
    /// of an unfollow before.
    private static let isToBeAsked =
        "(\(ChannelSQL.hasCard()) OR d.device_token IS NOT NULL AND d.reconcile_due_at IS NOT NULL)"

    /// Erases an account, now.
    package static func erase(
        _ user: UserID, vault: TokenVault, in transaction: PostgresTransaction
    ) async throws -> Deletion {
        // Rows are locked in the same order as everywhere: devices, follows, activities. The phones' records stay,
        // because end pushes need to know which APNs they go to; every other column gets the value of a new record.
        let key: [PostgresValue] = [.text(user.rawValue)]
        try await transaction.execute(
            """
            UPDATE devices AS d
            SET -- The one token that reaches an app which has a card to end, until it is asked.
                device_token = CASE WHEN \(Self.isToBeAsked) THEN d.device_token END,
                device_token_at = CASE WHEN \(Self.isToBeAsked) THEN d.device_token_at END,
                reconcile_due_at = CASE WHEN \(Self.isToBeAsked) THEN clock_timestamp() END,
                push_to_start_token = NULL,
                push_to_start_token_at = NULL, start_token_proven_at = NULL, device_token_proven_at = NULL,
                os_version = NULL, app_version = NULL, platform = DEFAULT,
                live_activities_enabled = DEFAULT, frequent_pushes_enabled = DEFAULT,
                broadcast = DEFAULT, created_at = DEFAULT,
                \(StartFallbackSQL.forgotten), visible_push_at = NULL,
                reconcile_sent_at = NULL, former_start_tokens = NULL,
                left_at = clock_timestamp(),
                -- So long ago that a phone that comes back is noted as seen anew.
                last_seen_at = clock_timestamp() - interval '1 day'
            WHERE user_id = $1
            """, key)
        try await transaction.execute("DELETE FROM match_follows WHERE user_id = $1", key)
        try await transaction.execute(PhoneClaimSQL.erase, key + [PostgresValue(vault.pseudonym(of: user))])
        let ended = try await transaction.query(
            """
            UPDATE live_activities
            SET status = 'ended', end_reason = coalesce(end_reason, 'user_unfollow'),
                ended_at = coalesce(ended_at, clock_timestamp()), end_dismissal = 'now',
                end_push = CASE WHEN status = 'ended' THEN end_push WHEN update_token IS NULL THEN 'none'
                    ELSE 'due' END
            WHERE user_id = $1 AND (status <> 'ended' OR (end_push = 'due' AND end_dismissal <> 'now'))
            RETURNING match_id
            """, key)
        // The tombstone is written last, so that its time is close to the commit.
        let deletedAt = try await transaction.query(
            """
            INSERT INTO deleted_users AS d (user_id, deleted_at) VALUES ($1, clock_timestamp())
            ON CONFLICT (user_id) DO UPDATE
            SET deleted_at = greatest(d.deleted_at, excluded.deleted_at), erased_at = NULL
            RETURNING \(Self.deletedAtColumn)
            """, key
        ).first?.int("deleted_at")
        guard let deletedAt else { throw PostgresError(.decoding, "no row for the deletion") }
        return Deletion(
            deletedAt: deletedAt, changedMatches: Set(try ended.map { MatchID(try $0.int64("match_id")) }))
    }
}
