package import Postgres
package import SightscreenModels
package import Store
/// Reads, exports and erases what is stored about a user.
///
/// A deletion takes effect at once: follows are removed, activities end, phones lose their tokens, but for the device
/// token of one that has to be asked to end a card. The orchestrator erases the remaining rows when their last pushes are out (`OrchestratorStore.eraseDeletedUsers`). Until then, and for
/// two days at least, a tombstone makes the gateways refuse tokens that were issued before.
package struct AccountStore: Sendable {
    /// In seconds: a token issued up to this long after a deletion counts as issued before it. The margin covers
    /// `AccountErasure.margin` and an issuer's clock that is five seconds ahead of the database's, so that no old token
    /// passes for a new one and nothing that a new token writes is erased. A user who signs in again sooner is refused
    /// until the token is renewed.
    package static let refusalMargin = 10
    /// The most activities in an export: a user of ten phones and fifty matches has some hundred. With more an answer
    /// would take megabytes of memory while it waits for its reader.
    package static let exportedActivitiesMax = 1_000
    /// The most deletions that are read: those of two days, far above what is expected.
    package static let deletionsMax = 200_000

    private let pool: PostgresPool
    private let vault: TokenVault

    package init(pool: PostgresPool, vault: TokenVault = .inClear) {
        self.pool = pool
        self.vault = vault
    }

    /// Whether a token belongs to a deleted account.
    ///
    /// - Parameters:
    ///   - issuedAt: seconds since 1970 by the issuer's clock.
    ///   - deletedAt: seconds since 1970 by the database's clock.
    package static func isRefused(issuedAt: Int, deletedAt: Int) -> Bool { issuedAt <= deletedAt + refusalMargin }

    // MARK: - Deletion

    /// A condition on a row `d` of `devices`: its app is to be asked what it shows, because of a card that may be there or
    /// of an unfollow before.
    private static let isToBeAsked =
        "(\(CallersChannel.hasCard()) OR d.device_token IS NOT NULL AND d.reconcile_due_at IS NOT NULL)"

    /// The result of a deletion.
    package struct Deletion: Hashable, Sendable {
        /// Seconds since 1970, rounded up.
        package var deletedAt: Int
        /// The matches with activities that ended; the coordinators have ends to send for them.
        package var changedMatches: Set<MatchID>
    }

    /// Deletes an account (`DELETE /user`). It may be repeated; with a token that an earlier deletion refuses it
    /// changes nothing.
    ///
    /// - Parameter issuedAt: when the caller's token was issued, seconds since 1970.
    package func delete(_ user: UserID, tokenIssuedAt issuedAt: Int) async throws -> Deletion {
        try await pool.forUser(user, isDeletion: true) { transaction in
            if let earlier = try await Self.deletedAt(transaction, user),
                Self.isRefused(issuedAt: issuedAt, deletedAt: earlier)
            {
                return Deletion(deletedAt: earlier, changedMatches: [])
            }
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
            try await transaction.execute(PhoneClaims.erase, key + [PostgresValue(vault.pseudonym(of: user))])
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

    /// Returns the users who were deleted in the last two days, with the times (seconds since 1970, rounded up).
    ///
    /// - Parameter since: the time of the oldest deletion to return. Some deletions commit a few seconds after their
    ///   time.
    package func deletions(since: Int = 0) async throws -> [UserID: Int] {
        let rows = try await pool.query(
            """
            SELECT user_id, \(Self.deletedAtColumn) FROM deleted_users WHERE deleted_at >= to_timestamp($1::bigint)
            ORDER BY deleted_users.deleted_at DESC LIMIT \(Self.deletionsMax)
            """, [.int(since)], deadline: .seconds(5))
        var deletions: [UserID: Int] = [:]
        for row in rows { deletions[UserID(try row.string("user_id"))] = try row.int("deleted_at") }
        return deletions
    }

    /// An account with this many bad tokens within an hour registers no more until the hour is over.
    package static let badTokensMax = 20
    /// Returns the blocked accounts with the seconds that each has to wait.
    package func blockedForBadTokens() async throws -> [UserID: Int] {
        let rows = try await pool.query(
            """
            SELECT user_id, ceil(extract(epoch FROM since + \(BadTokenSQL.window) - clock_timestamp()))::int AS wait
            FROM bad_tokens b WHERE count >= $1 AND NOT \(BadTokenSQL.isOver("b"))
            ORDER BY since DESC LIMIT \(Self.deletionsMax)
            """, [.int(Self.badTokensMax)], deadline: .seconds(5))
        var blocked: [UserID: Int] = [:]
        for row in rows { blocked[UserID(try row.string("user_id"))] = try row.int("wait") }
        return blocked
    }

    static let deletedAtColumn = "ceil(extract(epoch FROM deleted_at))::bigint AS deleted_at"

    static func deletedAt(_ transaction: PostgresTransaction, _ user: UserID) async throws -> Int? {
        try await transaction.query(
            "SELECT \(deletedAtColumn) FROM deleted_users WHERE user_id = $1", [.text(user.rawValue)]
        ).first?.int("deleted_at")
    }

    /// A condition: the user was deleted so recently that every token in flight was issued before the deletion. No
    /// request lives as long as `refusalMargin`, and a user who signs in anew is refused until then as well.
    static func deletedJustNow(_ user: String) -> String {
        """
        EXISTS (SELECT FROM deleted_users t WHERE t.user_id = \(user)
            AND t.deleted_at > clock_timestamp() - interval '\(refusalMargin) seconds')
        """
    }

    /// A query for all users who were deleted that recently; it uses the index on the time of deletion.
    static let allDeletedJustNow = """
        SELECT t.user_id FROM deleted_users t
        WHERE t.deleted_at > statement_timestamp() - interval '\(refusalMargin) seconds'
        """

    static func wasDeletedJustNow(_ transaction: PostgresTransaction, _ user: UserID) async throws -> Bool {
        let rows = try await transaction.query(
            "SELECT \(deletedJustNow("$1")) AS is_deleted", [.text(user.rawValue)])
        return try rows.first?.bool("is_deleted") ?? false
    }

    // MARK: - Export

    /// Exports everything stored about a user (`GET /user/data`), as it was at one moment.
    package func export(_ user: UserID) async throws -> UserDataResponse {
        try await pool.transaction { transaction in
            try await transaction.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            let devices = try await UserExport.devices(transaction, user)
            let follows = try await UserExport.follows(transaction, user)
            let (activities, all) = try await UserExport.activities(
                transaction, user, limit: Self.exportedActivitiesMax)
            let now = try await transaction.query("SELECT floor(extract(epoch FROM now()))::bigint AS now")
                .first?.int("now")
            return UserDataResponse(
                userId: user, exportedAt: now ?? 0, deletedAt: try await Self.deletedAt(transaction, user),
                devices: devices, follows: follows, liveActivities: activities,
                liveActivitiesOmitted: all > activities.count ? all - activities.count : nil)
        }
    }
}
