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

    /// Deletes an account (`DELETE /user`). It may be repeated; with a token that an earlier deletion refuses it
    /// changes nothing.
    ///
    /// - Parameter issuedAt: when the caller's token was issued, seconds since 1970.
    package func delete(_ user: UserID, tokenIssuedAt issuedAt: Int) async throws -> AccountErasure.Deletion {
        try await pool.forUser(user, isDeletion: true) { transaction in
            if let earlier = try await Self.deletedAt(transaction, user),
                Self.isRefused(issuedAt: issuedAt, deletedAt: earlier)
            {
                return .init(deletedAt: earlier, changedMatches: [])
            }
            return try await AccountErasure.erase(user, vault: vault, in: transaction)
        }
    }

    /// Returns the users who were deleted in the last two days, with the times (seconds since 1970, rounded up).
    ///
    /// - Parameter since: the time of the oldest deletion to return. Some deletions commit a few seconds after their
    ///   time.
    package func deletions(since: Int = 0) async throws -> [UserID: Int] {
        let rows = try await pool.query(
            """
            SELECT user_id, \(AccountErasure.deletedAtColumn) FROM deleted_users WHERE deleted_at >= to_timestamp($1::bigint)
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

    static func deletedAt(_ transaction: PostgresTransaction, _ user: UserID) async throws -> Int? {
        try await transaction.query(
            "SELECT \(AccountErasure.deletedAtColumn) FROM deleted_users WHERE user_id = $1", [.text(user.rawValue)]
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
