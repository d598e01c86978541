import Postgres
import SightscreenModels
import Store

/// Makes the records of Live Activities that should exist on a user's phones and do not. The orchestrator does this for
/// all users twice a minute; this does it at once for one user.
enum PendingStarts {
    /// Makes a pending record for each followed match in play on each capable phone without a current one, while the
    /// phone has room for another generation of that match.
    ///
    /// - Parameters:
    ///   - match, device: restrict it to one match and one phone; nil means all.
    ///   - local: the phone that starts its own activity, capable or not, and gets `lease` seconds for it.
    /// - Returns: the matches that got a record.
    static func insert(
        _ transaction: PostgresTransaction, user: UserID, match: MatchID? = nil, device: DeviceID? = nil,
        local: DeviceID? = nil, lease: Int = 0
    ) async throws -> Set<MatchID> {
        let rows = try await transaction.query(
            """
            INSERT INTO live_activities
                (match_id, user_id, device_id, generation, route, shard, start_lease_until)
            SELECT w.match_id, d.user_id, d.device_id,
                coalesce((SELECT max(l.generation) FROM live_activities l
                    WHERE (l.match_id, l.user_id, l.device_id) = (w.match_id, d.user_id, d.device_id)), 0) + 1,
                d.route, d.shard,
                CASE WHEN d.device_id = $4::text THEN clock_timestamp() + make_interval(secs => $5::int) END
            FROM match_follows w JOIN active_matches a USING (match_id) JOIN devices d USING (user_id)
            WHERE w.user_id = $1 AND ($2::bigint IS NULL OR w.match_id = $2::bigint)
                AND ($3::text IS NULL OR d.device_id = $3::text)
                AND (\(LiveMatch.capableDevice) OR d.device_id = $4::text) AND \(LiveMatch.condition)
                AND NOT EXISTS (SELECT FROM live_activities l WHERE l.status <> 'ended'
                    AND (l.match_id, l.user_id, l.device_id) = (w.match_id, d.user_id, d.device_id))
                -- Following and unfollowing, over and over, must not leave rows without end.
                AND NOT \(ReportedGenerationSQL.isFull(match: "w.match_id", user: "d.user_id", device: "d.device_id"))
                -- It may have been swiped away.
                AND NOT \(MissingCardSQL.isMissing(match: "w.match_id", user: "d.user_id", device: "d.device_id"))
            ON CONFLICT DO NOTHING
            RETURNING match_id
            """,
            [
                .text(user.rawValue), PostgresValue(match?.rawValue), PostgresValue(device?.rawValue),
                PostgresValue(local?.rawValue), .int(lease),
            ])
        return Set(try rows.map { MatchID(try $0.int64("match_id")) })
    }

    /// Holds back a start that has not gone out yet, because the phone has, or is about to have, an activity of its
    /// own.
    static func holdBack(
        _ transaction: PostgresTransaction, user: UserID, match: MatchID, device: DeviceID, lease: Int
    ) async throws {
        try await transaction.execute(
            """
            UPDATE live_activities
            SET start_lease_until = greatest(start_lease_until, clock_timestamp() + make_interval(secs => $4::int))
            WHERE match_id = $1 AND user_id = $2 AND device_id = $3 AND status = 'pending'
            """,
            [.int(match.rawValue), .text(user.rawValue), .text(device.rawValue), .int(lease)])
    }

    /// Ends every current activity on a phone that is no longer this user's; those that run get an end push. The user's
    /// other records there no longer count as possibly swiped away.
    static func endAll(
        _ transaction: PostgresTransaction, user: UserID, device: DeviceID
    ) async throws -> Set<MatchID> {
        try await transaction.execute(
            "UPDATE live_activities SET card = NULL WHERE user_id = $1 AND device_id = $2 AND card IS NOT NULL",
            [.text(user.rawValue), .text(device.rawValue)])
        let rows = try await transaction.query(
            """
            UPDATE live_activities
            SET status = 'ended', end_reason = 'token_invalid', ended_at = clock_timestamp(), end_dismissal = 'now',
                end_push = CASE WHEN update_token IS NULL THEN 'none' ELSE 'due' END
            WHERE user_id = $1 AND device_id = $2 AND status <> 'ended'
            RETURNING match_id
            """,
            [.text(user.rawValue), .text(device.rawValue)])
        return Set(try rows.map { MatchID(try $0.int64("match_id")) })
    }
}
