package import Activities
import Metrics
package import Postgres
package import SightscreenModels

/// Update tokens and dismissals of Live Activities. Every call may be repeated.
package struct ActivityTokenStore: Sendable {
    private let pool: PostgresPool
    /// How long a finished match stays on a Lock Screen, in seconds (`DISMISS_AFTER`).
    private let dismissAfter: Int
    private let gatherer: Gatherer<ActivityTokenJob, Registered>

    /// - Parameter pool: two of its connections are for batches; a few more when requests have to be done one by one.
    package init(pool: PostgresPool, dismissAfter: Int = 900) {
        self.pool = pool
        self.dismissAfter = dismissAfter
        let contentStates = ContentStateCache()
        gatherer = Gatherer(
            meters: .init(
                waiting: Meter(label: "sightscreen_registrations_waiting"),
                inFlight: Meter(label: "sightscreen_registrations_in_flight")),
            together: { await Self.registerTogether($0, isAwaited: $1, pool, dismissAfter, contentStates) },
            alone: { try await Self.registerAlone($0, isAwaited: $1, pool, dismissAfter) })
    }

    package struct Registered: Sendable {
        package var action: ActivityTokenRule.Action
        package var contentState: ShownState?
        /// The match's activities changed, and those of matches that lost the token.
        package var changedMatches: Set<MatchID>
    }

    /// `POST /matches/:id/activity-token`. Answers when it is committed, together with what others ask for meanwhile.
    ///
    /// - Throws: `DeviceRequired`, `GatherRefusal`, `PostgresError`.
    package func register(
        _ request: ActivityTokenRequest, match: MatchID, user: UserID
    ) async throws -> Registered {
        try await gatherer.submit(ActivityTokenJob(request: request, match: match, user: user))
    }

    /// One request in a transaction of its own.
    static func registerAlone(
        _ job: ActivityTokenJob, isAwaited: IsAwaited, _ pool: PostgresPool, _ dismissAfter: Int
    ) async throws -> Registered {
        let (request, user) = (job.request, job.user)
        let (registered, moves) = try await pool.forUser(user, token: request.activityToken) { transaction in
            // It may have waited for a connection, and for others of this user.
            guard isAwaited(0) else { throw GatherRefusal.late }
            try await transaction.execute(ActivityTokenBatch.asPlannedOnce)
            let device = try await UserDevices.resolve(transaction, user: user, device: request.deviceId)
            let key = Key(match: job.match, user: user, device: device)
            let situation = try await situation(transaction, key, dismissAfter)
            var rule = ActivityTokenRule(
                token: request.activityToken, activityID: request.activityId, startID: request.startId,
                isFollowed: situation.isFollowed, matchIsOver: situation.isOver, matchIsKnown: situation.isKnown)
            guard rule.matchIsKnown else {
                return (Registered(action: rule.action(for: []), contentState: nil, changedMatches: []), 0)
            }
            try await UserDevices.touch(transaction, user: user, device: device)
            rule.holder = try await holder(transaction, request.activityToken, key)
            let records = try await records(transaction, key, reported: request.activityToken)
            let action = rule.action(for: records)
            var (changed, moves): (Set<MatchID>, Int) = ([], 0)
            if rule.holder != .nobody, action.takesTheToken {
                (changed, moves) = try await takeFromOthers(transaction, request.activityToken, key)
            }
            let isChanged = try await apply(
                action, rule, key, transaction, generation: (records.first?.generation ?? 0) + 1,
                lingers: situation.lingers)
            if isChanged { changed.insert(job.match) }
            return (Registered(action: action, contentState: situation.contentState, changedMatches: changed), moves)
        }
        TokenMoves.count(.update, moves)
        return registered
    }

    /// `POST /matches/:id/activity-dismissed`.
    /// - Returns: whether the user still follows the match, and whether activities changed.
    /// - Throws: `DeviceRequired`, `PostgresError`.
    package func dismiss(
        _ request: ActivityDismissedRequest, match: MatchID, user: UserID
    ) async throws -> (isFollowing: Bool, action: DismissalRule.Action) {
        try await pool.forUser(user) { transaction in
            let device = try await UserDevices.resolve(transaction, user: user, device: request.deviceId)
            let rule = DismissalRule(activityID: request.activityId, token: request.activityToken)
            let action = try await Self.dismiss(transaction, rule, match, user, device)
            let key = Key(match: match, user: user, device: device)
            return (try await Self.situation(transaction, key, dismissAfter).isFollowed, action)
        }
    }

    static func dismiss(
        _ transaction: PostgresTransaction, _ rule: DismissalRule, _ match: MatchID, _ user: UserID, _ device: DeviceID
    ) async throws -> DismissalRule.Action {
        let key = Key(match: match, user: user, device: device)
        let records = try await records(transaction, key)
        let action = rule.action(for: records)
        switch action {
        case .unfollow(let generation):
            // The one that was to take its place is gone: it still stands there itself.
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

    /// From the phone: an end that still waits has nothing to end.
    private static func isGone(_ transaction: PostgresTransaction, _ key: Key, _ generation: Int) async throws {
        try await transaction.execute(
            """
            UPDATE live_activities SET end_push = 'dropped'
            WHERE \(Key.condition) AND generation = $4 AND end_push = 'due'
            """, key.parameters + [.int(generation)])
    }

    // MARK: - What is known

    private struct Key: Sendable {
        var match: MatchID
        var user: UserID
        var device: DeviceID
        static let condition = "match_id = $1 AND user_id = $2 AND device_id = $3"
        var parameters: [PostgresValue] { [.int(match.rawValue), .text(user.rawValue), .text(device.rawValue)] }
    }

    private struct Situation: Sendable {
        var isKnown: Bool
        var isFollowed: Bool
        var isOver: Bool
        /// It ended so recently that its result may stay on the Lock Screen.
        var lingers: Bool
        var contentState: ShownState?
    }

    private static func situation(
        _ transaction: PostgresTransaction, _ key: Key, _ dismissAfter: Int
    ) async throws -> Situation {
        let rows = try await transaction.query(
            """
            SELECT s.*, EXISTS (SELECT FROM match_follows WHERE match_id = s.match_id AND user_id = $3) AS is_followed
            FROM (\(situations)) s
            """, [.intArray([key.match.rawValue]), .int(dismissAfter), .text(key.user.rawValue)])
        guard let row = rows.first else { throw PostgresError(.decoding, "no row for the match") }
        return Situation(
            isKnown: try row.bool("is_known"), isFollowed: try row.bool("is_followed"), isOver: try row.bool("is_over"),
            lingers: try row.bool("lingers"),
            contentState: ShownState(try row.optionalString("content_state")))
    }

    private static func records(
        _ transaction: PostgresTransaction, _ key: Key, reported: UpdateToken? = nil
    ) async throws -> [ActivityGeneration] {
        try await transaction.query(
            """
            SELECT generation, status, start_id, activity_id, update_token, renewal_start_id,
                \(startIsOut) AS start_is_out, coalesce(\(wasFormer("$4")), false) AS was_former,
                coalesce(ended_at < (SELECT created_at FROM match_follows WHERE match_id = $1 AND user_id = $2), false)
                    AS ended_before_follow,
                coalesce(end_reason = 'token_invalid', false) AS lost_its_token, card IS NOT NULL AS card_may_be_there,
                end_push = 'due' AS end_is_due, \(startWasSent) AS start_was_sent
            FROM live_activities a WHERE \(Key.condition) ORDER BY generation DESC LIMIT \(recordsMax) FOR UPDATE
            """, key.parameters + [PostgresValue(reported?.rawValue)]
        ).map { try generation($0, reported: reported) }
    }

    /// Who else has the token. The token's lock keeps it from moving meanwhile.
    private static func holder(
        _ transaction: PostgresTransaction, _ token: UpdateToken, _ key: Key
    ) async throws -> ActivityTokenRule.Holder {
        let rows = try await transaction.query(
            """
            SELECT bool_or(o.user_id <> $2) AS is_anothers FROM (\(owners(of: "$4"))) AS o
            WHERE (o.match_id, o.user_id, o.device_id) <> ($1, $2, $3)
            """, key.parameters + [.text(token.rawValue)])
        switch try rows.first?.optionalBool("is_anothers") {
        case true?: return .another
        case false?: return .user
        case nil: return .nobody
        }
    }

    // MARK: - What is done

    /// Whoever registers a token last has it. The former owner's record ends without a push: an end to this token would
    /// now reach the new owner's activity, and so would one that still waits.
    private static func takeFromOthers(
        _ transaction: PostgresTransaction, _ token: UpdateToken, _ key: Key
    ) async throws -> (changed: Set<MatchID>, moves: Int) {
        let rows = try await transaction.query(Self.taking, key.parameters + [.text(token.rawValue)])
        return (
            Set(try rows.map { MatchID(try $0.int64("match_id")) }),
            try rows.count(where: { try $0.string("user_id") != key.user.rawValue })
        )
    }

    static let taking = """
        UPDATE live_activities
        SET status = 'ended', end_reason = coalesce(end_reason, 'token_invalid'),
            ended_at = coalesce(ended_at, clock_timestamp()),
            end_push = CASE WHEN end_push = 'due' THEN 'dropped' ELSE end_push END
        WHERE (match_id, user_id, device_id, generation) IN (
                SELECT match_id, user_id, device_id, generation FROM (\(owners(of: "$4"))) AS o)
            -- With OR the planner would go by the indexes of either kind, and through all ends that are due.
            AND update_token = $4 AND CASE WHEN status <> 'ended' THEN true ELSE end_push = 'due' END
            AND (match_id, user_id, device_id) <> ($1, $2, $3)
        RETURNING match_id, user_id
        """

    /// - Parameter generation: the next one, for actions that make a record.
    /// - Returns: whether anything changed.
    private static func apply(
        _ action: ActivityTokenRule.Action, _ rule: ActivityTokenRule, _ key: Key, _ transaction: PostgresTransaction,
        generation next: Int, lingers: Bool
    ) async throws -> Bool {
        func update(_ assignments: String, _ generation: Int, where condition: String = "true") async throws -> Bool {
            try await transaction.execute(
                """
                UPDATE live_activities la SET \(assignments), activity_id = coalesce(v.activity_id, la.activity_id)
                FROM (SELECT $5::text AS token, $6::text AS activity_id, $7::boolean AS lingers) v
                WHERE \(Key.condition) AND generation = $4 AND \(condition)
                """,
                key.parameters + [
                    .int(generation), .text(rule.token.rawValue), PostgresValue(rule.activityID?.rawValue),
                    .bool(lingers),
                ]) > 0
        }
        let isNews = "v.activity_id IS NOT NULL AND la.activity_id IS NULL"
        switch action {
        case .activate(let generation): return try await update(activation, generation)
        case .rotate(let generation): return try await update(rotation, generation)
        case .keep(let generation):
            // Only what is new: the activity's name.
            return try await update(naming, generation, where: isNews)
        case .adopt:
            return try await insert(key, rule, transaction, next, "active")
        case .replace(let generation):
            return try await transaction.execute(
                replacement(
                    from: """
                        (SELECT $1::bigint AS match_id, $2::text AS user_id, $3::text AS device_id, $4::int AS generation,
                            $5::int AS next, $6::text AS token, $7::text AS start_id, $8::text AS activity_id) v
                        """),
                key.parameters + [
                    .int(generation), .int(next), .text(rule.token.rawValue), PostgresValue(rule.startID?.rawValue),
                    PostgresValue(rule.activityID?.rawValue),
                ]) > 0
        case .end(let generation?):
            let isOwed = "la.end_push = 'due' AND la.update_token IS NOT DISTINCT FROM v.token"
            let isFormer = wasFormer("v.token", of: "la")
            if try await update(ending, generation, where: "NOT (\(isOwed)) AND NOT \(isFormer)") { return true }
            return try await update(naming, generation, where: "(\(isOwed) OR \(isFormer)) AND \(isNews)")
        case .end(nil):
            return try await insert(key, rule, transaction, next, "match_end", lingers: lingers)
        case .refuse:
            return try await insert(key, rule, transaction, next, "user_unfollow")
        case .pass: return false
        }
    }

    /// - Parameter state: `active`, or the reason for which the record is over from the beginning.
    private static func insert(
        _ key: Key, _ rule: ActivityTokenRule, _ transaction: PostgresTransaction, _ generation: Int, _ state: String,
        lingers: Bool = false
    ) async throws -> Bool {
        let route = DeviceRoute(user: key.user, device: key.device)
        return try await transaction.execute(
            """
            \(insertion)
            FROM (
                SELECT $1::bigint AS match_id, $2::text AS user_id, $3::text AS device_id, $4::int AS generation,
                    $5::bigint AS route, $6::smallint AS shard, $7::text AS start_id, $8::text AS activity_id,
                    $9::text AS token, $10::boolean AS lingers, $11::text AS state
            ) v
            """,
            key.parameters + [
                .int(generation), .int(route.hash), .int(route.shard), PostgresValue(rule.startID?.rawValue),
                PostgresValue(rule.activityID?.rawValue), .text(rule.token.rawValue), .bool(lingers), .text(state),
            ]) > 0
    }
}

extension ActivityTokenRule.Action {
    /// The token is this activity's from now on, to be pushed to or to be ended. A token that was replaced, a stranger's
    /// and one that nothing comes of stay whose they are.
    fileprivate var takesTheToken: Bool {
        switch self {
        case .activate, .rotate, .adopt, .replace, .end: true
        case .keep, .refuse, .pass: false
        }
    }
}
