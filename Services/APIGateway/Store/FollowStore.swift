import FoundationEssentials
package import Postgres
package import SightscreenModels
import Store

/// The follows of users (`match_follows`), and the effect of following and unfollowing on their activities. Every call
/// is one transaction and may be repeated.
package struct FollowStore: Sendable {
    /// The most matches that a user may follow at once, without those that are over: far more than a user watches.
    package static let followsMax = 50
    /// The most follows of matches that are over and which only wait to expire: two days of a user who follows the
    /// maximum.
    package static let finishedFollowsMax = 200

    /// The time in seconds for which a follow outlives its match (`FOLLOW_RETENTION`).
    private let retention: Int
    /// The time in seconds that a phone has to start its own activity (`START_LEASE`).
    private let startLease: Int
    private let pool: PostgresPool

    package init(pool: PostgresPool, retention: Int = 172_800, startLease: Int = 120) {
        self.pool = pool
        self.retention = retention
        self.startLease = startLease
    }

    package enum Refusal: Error, Hashable, Sendable {
        /// The provider has no such match.
        case unknownMatch
        /// Neither side of the match has this id.
        case unknownTeam
    }

    /// Follows a match; a repeated follow changes what it says anew. For a match in play the pending records are made
    /// at once.
    ///
    /// - Throws: `Refusal`, `LimitReached` (never for a match that is followed already), `DeviceRequired` (if it starts
    ///   locally on a phone that is not named), `PostgresError`.
    package func follow(_ request: FollowRequest, user: UserID) async throws -> FollowResponse {
        try await pool.forUser(user) { transaction in
            let match = request.matchId
            let facts = try await Self.facts(transaction, match)
            try Self.checkTeam(request.teamId, facts)
            var local: DeviceID?
            if request.startsLocally == true {
                local = try await UserDevices.resolve(transaction, user: user, device: request.deviceId)
            }
            let written = try await transaction.execute(
                """
                INSERT INTO match_follows (user_id, match_id, team_id, alerts, expires_at)
                SELECT $1, $2::bigint, $3::bigint, coalesce($4::text, 'all'),
                    CASE WHEN $5::bool THEN clock_timestamp() + make_interval(secs => $6::int) END
                -- Under the user's lock: two requests cannot both take the last place.
                WHERE EXISTS (SELECT FROM match_follows WHERE user_id = $1 AND match_id = $2)
                    OR (SELECT count(*) FROM match_follows WHERE user_id = $1 AND (expires_at IS NOT NULL) = $5) < $7
                ON CONFLICT (user_id, match_id) DO UPDATE
                SET team_id = coalesce(excluded.team_id, match_follows.team_id),
                    alerts = coalesce($4::text, match_follows.alerts), expires_at = excluded.expires_at
                """,
                [
                    .text(user.rawValue), .int(match.rawValue), PostgresValue(request.teamId.flatMap { Int64($0) }),
                    PostgresValue(request.alerts?.rawValue), .bool(facts.isOver), .int(retention),
                    .int(facts.isOver ? Self.finishedFollowsMax : Self.followsMax),
                ])
            guard written > 0 else { throw LimitReached(facts.isOver ? .finishedFollows : .follows) }
            // The user asks for the card again, so it no longer matters what became of the last one.
            try await transaction.execute(
                """
                UPDATE live_activities SET card = NULL WHERE user_id = $1 AND match_id = $2 AND card IS NOT NULL
                """, [.text(user.rawValue), .int(match.rawValue)])
            if facts.isLive {
                _ = try await PendingStarts.insert(
                    transaction, user: user, match: match, local: local, lease: startLease)
                if let local {
                    try await PendingStarts.holdBack(
                        transaction, user: user, match: match, device: local, lease: startLease)
                }
            }
            try await moveActivities(transaction, user, match)
            let channel = try CallersChannel.read(
                try await transaction.query(
                    CallersChannel.statement, CallersChannel.parameters(user, match, request.deviceId)))
            return FollowResponse(
                following: true, displayState: facts.contentState,
                liveActivity: try await Self.outlook(transaction, user, match, facts, startsLocally: local != nil),
                channel: channel, relevance: facts.relevance)
        }
    }

    private func moveActivities(
        _ transaction: PostgresTransaction, _ user: UserID, _ match: MatchID
    ) async throws {
        try await transaction.execute(
            CallersChannel.moveActivities, [.text(user.rawValue), .int(match.rawValue), .int(startLease)])
    }

    /// Unfollows a match: every activity of the user for it ends, and those that run get an end push.
    /// - Returns: whether a follow or an activity ended.
    @discardableResult
    package func unfollow(_ match: MatchID, user: UserID) async throws -> Bool {
        try await pool.forUser(user) { try await Self.unfollow($0, match, user) }
    }

    static func unfollow(
        _ transaction: PostgresTransaction, _ match: MatchID, _ user: UserID
    ) async throws -> Bool {
        let key: [PostgresValue] = [.int(match.rawValue), .text(user.rawValue)]
        try await transaction.execute(CallersChannel.askPhones, key)
        let follows = try await transaction.execute(
            "DELETE FROM match_follows WHERE match_id = $1 AND user_id = $2", key)
        // An end that still waits and was to leave the result on the Lock Screen now dismisses the card at once.
        let activities = try await transaction.execute(
            """
            UPDATE live_activities
            SET status = 'ended', end_reason = coalesce(end_reason, 'user_unfollow'),
                ended_at = coalesce(ended_at, clock_timestamp()), end_dismissal = 'now',
                end_push = CASE WHEN status = 'ended' THEN end_push WHEN update_token IS NULL THEN 'none' ELSE 'due' END
            WHERE match_id = $1 AND user_id = $2
                AND (status <> 'ended' OR (end_push = 'due' AND end_dismissal <> 'now'))
            """, key)
        return follows + activities > 0
    }

    /// A change of a follow; `keep` and nil leave a value as it is.
    package struct Change: Hashable, Sendable {
        package enum Team: Hashable, Sendable { case keep, none, team(String) }
        package var team: Team
        package var alerts: AlertLevel?
        package init(team: Team = .keep, alerts: AlertLevel? = nil) {
            self.team = team
            self.alerts = alerts
        }
    }

    /// Changes the side or the alerts of a follow.
    /// - Returns: the follow as it is now; nil if the user does not follow the match.
    /// - Throws: `Refusal.unknownTeam`, `PostgresError`.
    package func change(_ match: MatchID, user: UserID, _ change: Change) async throws -> FollowItem? {
        try await pool.forUser(user) { transaction in
            var team: String?
            if case .team(let id) = change.team {
                team = id
                try Self.checkTeam(id, try await Self.facts(transaction, match))
            }
            let rows = try await transaction.query(
                """
                UPDATE match_follows
                SET team_id = CASE WHEN $3::bool THEN team_id ELSE $4::bigint END, alerts = coalesce($5::text, alerts)
                WHERE user_id = $1 AND match_id = $2
                RETURNING \(Self.columns)
                """,
                [
                    .text(user.rawValue), .int(match.rawValue), .bool(change.team == .keep),
                    PostgresValue(team.flatMap { Int64($0) }), PostgresValue(change.alerts?.rawValue),
                ])
            try await moveActivities(transaction, user, match)
            return try rows.first.map(Self.item)
        }
    }

    /// Returns the user's follows, oldest first.
    package func follows(of user: UserID) async throws -> [FollowItem] {
        try await pool.query(
            """
            SELECT \(Self.columns) FROM match_follows
            WHERE user_id = $1 AND (expires_at IS NULL OR expires_at > clock_timestamp())
            ORDER BY created_at, match_id
            """, [.text(user.rawValue)]
        ).map(Self.item)
    }

    private static let columns = """
        match_id, team_id, alerts, extract(epoch FROM created_at)::bigint AS followed_at,
        extract(epoch FROM expires_at)::bigint AS expires_at_seconds
        """

    private static func item(_ row: PostgresRow) throws -> FollowItem {
        FollowItem(
            matchId: MatchID(try row.int64("match_id")), teamId: try row.optionalInt64("team_id").map { String($0) },
            alerts: AlertLevel(rawValue: try row.string("alerts")) ?? .all, followedAt: try row.int("followed_at"),
            expiresAt: try row.optionalInt("expires_at_seconds"))
    }

    // MARK: - The match

    struct Facts: Sendable {
        var isLive: Bool
        var isOver: Bool
        var contentState: ContentState?
        var relevance: Double?
        /// The ids of both sides; empty if the fixture is not stored.
        var teams: Set<String>
    }

    static func facts(_ transaction: PostgresTransaction, _ match: MatchID) async throws -> Facts {
        let rows = try await transaction.query(
            """
            SELECT f.home_id, f.away_id, a.content_state, \(LiveMatch.relevance) AS relevance,
                coalesce(\(LiveMatch.condition), false) AS is_live,
                CASE WHEN a.match_id IS NULL THEN coalesce(\(FixtureSQL.isOver("f.status")), false)
                    ELSE a.ended_at IS NOT NULL OR a.settled_at IS NOT NULL
                        OR a.display_state IN ('completed', 'abandoned') END AS is_over
            FROM (SELECT $1::bigint AS match_id) m
            LEFT JOIN fixtures f USING (match_id) LEFT JOIN active_matches a USING (match_id)
            WHERE f.match_id IS NOT NULL OR a.match_id IS NOT NULL
            """, [.int(match.rawValue)])
        guard let row = rows.first else { throw Refusal.unknownMatch }
        // A side of a final may be open: its id is 0.
        let teams = [try row.optionalInt64("home_id"), try row.optionalInt64("away_id")].filter { $0 != 0 }
        return Facts(
            isLive: try row.bool("is_live"), isOver: try row.bool("is_over"),
            contentState: StoredContentState.decode(try row.optionalString("content_state")),
            relevance: try row.optionalDouble("relevance"),
            teams: Set(teams.compactMap { $0.map { String($0) } }))
    }

    private static func checkTeam(_ team: String?, _ facts: Facts) throws {
        guard let team, !facts.teams.isEmpty, !facts.teams.contains(team) else { return }
        throw Refusal.unknownTeam
    }

    private static func outlook(
        _ transaction: PostgresTransaction, _ user: UserID, _ match: MatchID, _ facts: Facts, startsLocally: Bool
    ) async throws -> LiveActivityOutlook {
        if facts.isOver { return .ended }
        let rows = try await transaction.query(
            """
            SELECT
                EXISTS (SELECT FROM live_activities WHERE match_id = $1 AND user_id = $2 AND status = 'active') AS active,
                EXISTS (SELECT FROM live_activities WHERE match_id = $1 AND user_id = $2 AND status = 'pending') AS pending,
                EXISTS (SELECT FROM devices d WHERE d.user_id = $2 AND \(LiveMatch.capableDevice)) AS capable
            """, [.int(match.rawValue), .text(user.rawValue)])
        guard let row = rows.first else { return .unavailable }
        if try row.bool("active") { return .active }
        if try row.bool("pending") { return .starting }
        if facts.isLive { return .unavailable }
        return try row.bool("capable") || startsLocally ? .scheduled : .unavailable
    }
}
