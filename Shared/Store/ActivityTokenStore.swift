public import Activities
public import Messages
public import Postgres
public import Sightscreen

/// Update tokens and dismissals of Live Activities. Every call is one transaction and may be repeated.
public struct ActivityTokenStore: Sendable {
    private let pool: PostgresPool
    /// How long a finished match stays on a Lock Screen, in seconds (`DISMISS_AFTER`).
    private let dismissAfter: Int

    public init(pool: PostgresPool, dismissAfter: Int = 900) {
        self.pool = pool
        self.dismissAfter = dismissAfter
    }

    public struct Registered: Sendable {
        public var action: ActivityTokenRule.Action
        public var contentState: ContentState?
        /// The match's activities changed, and those of matches that lost the token.
        public var changedMatches: Set<MatchID>
    }

    /// `POST /matches/:id/activity-token`.
    /// - Throws: `DeviceRequired`, `PostgresError`.
    public func register(
        _ request: ActivityTokenRequest, match: MatchID, user: UserID
    ) async throws -> Registered {
        try await pool.forUser(user, token: request.activityToken) { transaction in
            let device = try await UserDevices.resolve(transaction, user: user, device: request.deviceId)
            try await UserDevices.touch(transaction, user: user, device: device)
            let key = Key(match: match, user: user, device: device)
            var changed = try await Self.takeFromOthers(transaction, request.activityToken, key)
            let situation = try await situation(transaction, key)
            let records = try await Self.records(transaction, key)
            let rule = ActivityTokenRule(
                token: request.activityToken, activityID: request.activityId, startID: request.startId,
                isFollowed: situation.isFollowed, matchIsOver: situation.isOver)
            let action = rule.action(for: records)
            let isChanged = try await Self.apply(
                action, rule, key, transaction, generation: (records.first?.generation ?? 0) + 1,
                lingers: situation.lingers)
            if isChanged { changed.insert(match) }
            return Registered(action: action, contentState: situation.contentState, changedMatches: changed)
        }
    }

    /// `POST /matches/:id/activity-dismissed`.
    /// - Returns: whether the user still follows the match, and whether activities changed.
    /// - Throws: `DeviceRequired`, `PostgresError`.
    public func dismiss(
        _ request: ActivityDismissedRequest, match: MatchID, user: UserID
    ) async throws -> (isFollowing: Bool, action: DismissalRule.Action) {
        try await pool.forUser(user) { transaction in
            let device = try await UserDevices.resolve(transaction, user: user, device: request.deviceId)
            let key = Key(match: match, user: user, device: device)
            let rule = DismissalRule(activityID: request.activityId, token: request.activityToken)
            let action = rule.action(for: try await Self.records(transaction, key))
            switch action {
            case .unfollow(let generation):
                try await transaction.execute(
                    """
                    UPDATE live_activities SET status = 'ended', end_reason = 'user_dismissed',
                        ended_at = clock_timestamp(), end_push = 'none'
                    WHERE \(Key.condition) AND generation = $4
                    """, key.parameters + [.int(generation)])
                _ = try await FollowStore.unfollow(transaction, match, user)
            case .record(let generation?):
                // It is gone from the phone: an end that still waits has nothing to end.
                try await transaction.execute(
                    """
                    UPDATE live_activities SET end_push = 'dropped'
                    WHERE \(Key.condition) AND generation = $4 AND end_push = 'due'
                    """, key.parameters + [.int(generation)])
            case .record(nil): break
            }
            return (try await situation(transaction, key).isFollowed, action)
        }
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
        var isFollowed: Bool
        var isOver: Bool
        /// It ended so recently that its result may stay on the Lock Screen.
        var lingers: Bool
        var contentState: ContentState?
    }

    private func situation(_ transaction: PostgresTransaction, _ key: Key) async throws -> Situation {
        let rows = try await transaction.query(
            """
            SELECT EXISTS (SELECT FROM match_follows WHERE match_id = $1 AND user_id = $2) AS is_followed,
                CASE WHEN a.match_id IS NULL THEN coalesce(\(LiveMatch.fixtureIsOver), false)
                    ELSE a.ended_at IS NOT NULL END AS is_over,
                coalesce(a.ended_at > clock_timestamp() - make_interval(secs => $3::int), false) AS lingers,
                a.content_state
            FROM (SELECT $1::bigint AS match_id) m
            LEFT JOIN fixtures f USING (match_id) LEFT JOIN active_matches a USING (match_id)
            """, [.int(key.match.rawValue), .text(key.user.rawValue), .int(dismissAfter)])
        guard let row = rows.first else { throw PostgresError(.decoding, "no row for the match") }
        return Situation(
            isFollowed: try row.bool("is_followed"), isOver: try row.bool("is_over"), lingers: try row.bool("lingers"),
            contentState: StoredContentState.decode(try row.optionalString("content_state")))
    }

    /// Newest first. More generations than this on one phone are an app that misbehaves; the oldest are not looked at.
    private static let recordsMax = 64

    private static func records(_ transaction: PostgresTransaction, _ key: Key) async throws -> [ActivityGeneration] {
        try await transaction.query(
            """
            SELECT generation, status, start_id, activity_id, update_token,
                start_sent_at IS NOT NULL OR coalesce(start_lease_until > clock_timestamp(), false) AS start_is_out,
                coalesce(ended_at < (SELECT created_at FROM match_follows WHERE match_id = $1 AND user_id = $2), false)
                    AS ended_before_follow
            FROM live_activities WHERE \(Key.condition) ORDER BY generation DESC LIMIT \(recordsMax) FOR UPDATE
            """, key.parameters
        ).map { row in
            ActivityGeneration(
                generation: try row.int("generation"),
                status: ActivityGeneration.Status(rawValue: try row.string("status")) ?? .ended,
                startID: try row.optionalString("start_id").map { StartID($0) },
                activityID: try row.optionalString("activity_id").map { ActivityID($0) },
                token: try row.optionalString("update_token").map { UpdateToken($0) },
                startIsOut: try row.bool("start_is_out"), endedBeforeFollow: try row.bool("ended_before_follow"))
        }
    }

    // MARK: - What is done

    /// Whoever registers a token last has it. The former owner's record ends without a push: an end to this token would
    /// now reach the new owner's activity, and so would one that still waits.
    private static func takeFromOthers(
        _ transaction: PostgresTransaction, _ token: UpdateToken, _ key: Key
    ) async throws -> Set<MatchID> {
        let rows = try await transaction.query(
            """
            UPDATE live_activities
            SET status = 'ended', end_reason = coalesce(end_reason, 'token_invalid'),
                ended_at = coalesce(ended_at, clock_timestamp()),
                end_push = CASE WHEN end_push = 'due' THEN 'dropped' ELSE end_push END
            WHERE ((status <> 'ended' AND update_token = $4) OR (end_push = 'due' AND update_token = $4))
                AND (match_id, user_id, device_id) <> ($1, $2, $3)
            RETURNING match_id
            """, key.parameters + [.text(token.rawValue)])
        return Set(try rows.map { MatchID(try $0.int64("match_id")) })
    }

    /// - Parameter generation: the next one, for actions that make a record.
    /// - Returns: whether anything changed.
    private static func apply(
        _ action: ActivityTokenRule.Action, _ rule: ActivityTokenRule, _ key: Key, _ transaction: PostgresTransaction,
        generation next: Int, lingers: Bool
    ) async throws -> Bool {
        let token = PostgresValue.text(rule.token.rawValue)
        let activity = PostgresValue(rule.activityID?.rawValue)
        func update(_ assignments: String, _ generation: Int, where condition: String = "true") async throws -> Bool {
            try await transaction.execute(
                """
                UPDATE live_activities SET \(assignments), activity_id = coalesce($6::text, activity_id)
                WHERE \(Key.condition) AND generation = $4 AND \(condition) AND $5::text IS NOT NULL
                """, key.parameters + [.int(generation), token, activity]) > 0
        }
        switch action {
        case .activate(let generation):
            return try await update(
                """
                status = 'active', update_token = $5, token_at = clock_timestamp(), activated_at = clock_timestamp(),
                start_lease_until = NULL, start_given_up_at = NULL
                """, generation)
        case .rotate(let generation):
            return try await update("update_token = $5, token_at = clock_timestamp()", generation)
        case .keep(let generation):
            // Only what is new: the activity's name.
            return try await update(
                "update_token = $5", generation, where: "$6::text IS NOT NULL AND activity_id IS NULL")
        case .adopt:
            return try await insert(key, rule, transaction, next, "active")
        case .replace(let generation):
            try await transaction.execute(
                """
                UPDATE live_activities SET status = 'ended', end_reason = 'match_end', ended_at = clock_timestamp(),
                    end_push = 'due', end_dismissal = 'now'
                WHERE \(Key.condition) AND generation = $4
                """, key.parameters + [.int(generation)])
            return try await insert(key, rule, transaction, next, "active")
        case .end(let generation?):
            return try await update(
                """
                status = 'ended', end_reason = coalesce(end_reason, 'match_end'),
                ended_at = coalesce(ended_at, clock_timestamp()), update_token = $5, token_at = clock_timestamp(),
                end_push = 'due', end_dismissal = '\(lingers ? "linger" : "now")', end_attempts = 0,
                end_lease_until = NULL
                """, generation, where: "NOT (end_push = 'due' AND update_token = $5)")
        case .end(nil):
            return try await insert(key, rule, transaction, next, "match_end", lingers: lingers)
        case .refuse:
            return try await insert(key, rule, transaction, next, "user_unfollow")
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
            INSERT INTO live_activities
                (match_id, user_id, device_id, generation, route, shard, status, end_reason, start_id, activity_id,
                 update_token, token_at, activated_at, ended_at, end_push, end_dismissal)
            SELECT $1, $2, $3, $4, $5, $6, CASE WHEN active THEN 'active' ELSE 'ended' END,
                CASE WHEN NOT active THEN $7::text END, $8, $9, $10, clock_timestamp(),
                CASE WHEN active THEN clock_timestamp() END, CASE WHEN NOT active THEN clock_timestamp() END,
                CASE WHEN active THEN 'none' ELSE 'due' END, $11
            FROM (SELECT $7::text = 'active' AS active) x
            """,
            key.parameters + [
                .int(generation), .int(route.hash), .int(route.shard), .text(state),
                PostgresValue(rule.startID?.rawValue), PostgresValue(rule.activityID?.rawValue),
                .text(rule.token.rawValue), .text(lingers ? "linger" : "now"),
            ]) > 0
    }
}
