package import Activities
import Metrics
package import Postgres
package import SightscreenModels
package import Store

/// Update tokens and dismissals of Live Activities. Every call may be repeated.
package struct ActivityTokenStore: Sendable {
    private let pool: PostgresPool
    private let vault: TokenVault
    /// The seconds for which a finished match stays on a Lock Screen (`DISMISS_AFTER`).
    private let dismissAfter: Int
    private let batcher: Batcher<ActivityTokenJob, Registered>

    /// - Parameters:
    ///   - pool: the connection pool; batches use two of its connections.
    ///   - timeout: the time that a caller waits for its answer.
    ///   - onChange: gets the matches whose activities changed, once for each batch.
    package init(
        pool: PostgresPool, vault: TokenVault = .inClear, dismissAfter: Int = 900, timeout: Duration = .seconds(5),
        security: SecurityLog = .off,
        onChange: @escaping @Sendable (Set<MatchID>) async -> Void = { _ in }
    ) {
        self.pool = pool
        self.vault = vault
        self.dismissAfter = dismissAfter
        let contentStates = ContentStateCache()
        var limits = Batcher<ActivityTokenJob, Registered>.Limits()
        limits.timeout = timeout
        batcher = Batcher(
            limits: limits,
            meters: .init(
                waiting: Meter(label: "sightscreen_registrations_waiting"),
                inFlight: Meter(label: "sightscreen_registrations_in_flight")),
            work: { jobs, isAwaited in
                let outcomes = await Self.registerBatch(
                    jobs, isAwaited: isAwaited, pool, vault, dismissAfter, contentStates, security: security)
                let changed = outcomes.reduce(into: Set<MatchID>()) { matches, outcome in
                    if case .answered(let registered) = outcome { matches.formUnion(registered.changedMatches) }
                }
                await onChange(changed)
                return outcomes
            })
    }

    package struct Registered: Sendable {
        package var action: ActivityTokenRule.Action
        package var contentState: ContentState?
        /// The match, if its activities changed, and the matches whose activities lost the token.
        package var changedMatches: Set<MatchID>
    }

    /// Registers an activity's update token (`POST /matches/:id/activity-token`). Returns when it is committed, in one
    /// batch with requests that arrive at the same time.
    ///
    /// - Throws: `DeviceRequired`, `AccountDeleted`, `LimitReached`, `BatcherRefusal`, `PostgresError`.
    package func register(
        _ request: ActivityTokenRequest, match: MatchID, user: UserID
    ) async throws -> Registered {
        try await batcher.submit(ActivityTokenJob(request: request, match: match, user: user))
    }

    /// Records that the user dismissed an activity (`POST /matches/:id/activity-dismissed`).
    /// - Returns: whether the user still follows the match, and what was done.
    /// - Throws: `DeviceRequired`, `PostgresError`.
    package func dismiss(
        _ request: ActivityDismissedRequest, match: MatchID, user: UserID
    ) async throws -> (isFollowing: Bool, action: DismissalRule.Action) {
        try await pool.forUser(user) { transaction in
            let device = try await UserDevices.resolve(transaction, user: user, device: request.deviceId)
            let rule = DismissalRule(activityID: request.activityId, token: request.activityToken)
            let action = try await Self.dismiss(transaction, vault, rule, match, user, device)
            let isFollowing = try await transaction.query(
                "SELECT FROM match_follows WHERE match_id = $1 AND user_id = $2",
                [.int(match.rawValue), .text(user.rawValue)])
            return (!isFollowing.isEmpty, action)
        }
    }

    static func dismiss(
        _ transaction: PostgresTransaction, _ vault: TokenVault, _ rule: DismissalRule, _ match: MatchID,
        _ user: UserID, _ device: DeviceID
    ) async throws -> DismissalRule.Action {
        let key = Key(match: match, user: user, device: device)
        let records = try await records(transaction, vault, key, rule.token)
        let action = rule.action(for: records)
        switch action {
        case .unfollow(let generation):
            // The dismissed activity was to replace this one, which is still on the Lock Screen and needs an end push.
            let stands = records.contains {
                $0.generation == generation && $0.renewalStartID != nil && !rule.names($0)
            }
            try await transaction.execute(
                """
                UPDATE live_activities SET status = 'ended', end_reason = 'user_dismissed',
                    ended_at = clock_timestamp(), end_push = $5, end_dismissal = 'now'
                WHERE \(Key.condition) AND generation = $4
                """, key.parameters + [.int(generation), .text(stands ? "due" : "none")])
            _ = try await FollowStore.unfollow(transaction, match, user)
        case .unfollowOnly(let generation):
            try await isGone(transaction, key, generation)
            _ = try await FollowStore.unfollow(transaction, match, user)
        case .record(let generation?): try await isGone(transaction, key, generation)
        case .record(nil): break
        }
        return action
    }

    /// Drops an end that still waits: the phone says that its activity is gone.
    private static func isGone(_ transaction: PostgresTransaction, _ key: Key, _ generation: Int) async throws {
        try await transaction.execute(
            """
            UPDATE live_activities SET end_push = 'dropped'
            WHERE \(Key.condition) AND generation = $4 AND end_push = 'due'
            """, key.parameters + [.int(generation)])
    }

    // MARK: - Reading

    private struct Key: Sendable {
        var match: MatchID
        var user: UserID
        var device: DeviceID
        static let condition = "match_id = $1 AND user_id = $2 AND device_id = $3"
        var parameters: [PostgresValue] { [.int(match.rawValue), .text(user.rawValue), .text(device.rawValue)] }
    }

    /// The columns that the rules need of the generations of one match (`$1`) on one phone of a user (`$2`).
    static let columnsOfPhone = columns(
        followedAt: "(SELECT created_at FROM match_follows WHERE match_id = $1 AND user_id = $2)", wasFormer: "false")

    private static func records(
        _ transaction: PostgresTransaction, _ vault: TokenVault, _ key: Key, _ token: UpdateToken?
    ) async throws -> [ActivityGeneration] {
        let keys = try token.map { try vault.keys(of: $0.rawValue) }
        return try await transaction.query(
            """
            SELECT \(columnsOfPhone)
            FROM live_activities a WHERE \(Key.condition) ORDER BY generation DESC LIMIT \(recordsMax) FOR UPDATE
            """, key.parameters
        ).map { try generation($0, keys, reported: token) }
    }
}
