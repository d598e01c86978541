import Activities
package import Postgres
package import SightscreenModels
import Store

/// Records activities that listen to broadcast channels, as the app reports them when it happens to run
/// (`POST /matches/:id/activity`).
package struct ActivityReportStore: Sendable {
    package enum Refusal: Error, Hashable, Sendable {
        /// There is no such match.
        case unknownMatch
    }

    private let pool: PostgresPool

    package init(pool: PostgresPool) { self.pool = pool }

    /// Records that an activity is there. The one of a push-to-start takes that start's record; one that the app
    /// started itself takes the place of any other on the phone, which the app ends.
    /// - Returns: `active`, or `ended` when the app is to end it.
    /// - Throws: `Refusal`, `DeviceRequired`, `PostgresError`.
    package func report(
        _ report: ActivityReport, match: MatchID, user: UserID
    ) async throws -> LiveActivityOutlook {
        try await pool.forUser(user) { transaction in
            let device = try await UserDevices.resolve(transaction, user: user, device: report.deviceId)
            let rows = try await transaction.query(
                Self.statement,
                [
                    .int(match.rawValue), .text(user.rawValue), .text(device.rawValue),
                    .text(report.activityId.rawValue), PostgresValue(report.startId?.rawValue),
                    .text(report.channelId.rawValue),
                ])
            guard let row = rows.first, try row.bool("is_known") else { throw Refusal.unknownMatch }
            guard try row.bool("is_followed") else { return .ended }
            // The result that lingers is taken off by the channel's end.
            let isRecorded = try row.bool("stays")
            if try !isRecorded && row.bool("has_ended") { return .ended }
            let route = DeviceRoute(user: user, device: device)
            if !isRecorded {
                try await transaction.execute(
                    Self.replace,
                    [
                        .int(match.rawValue), .text(user.rawValue), .text(device.rawValue),
                        .text(report.activityId.rawValue), PostgresValue(report.startId?.rawValue),
                        .text(report.channelId.rawValue), .int(route.hash), .int(route.shard),
                    ])
            }
            // The alert level may have changed since the app learnt of the channel.
            try await transaction.execute(
                CallersChannel.moveActivities, [.text(user.rawValue), .int(match.rawValue), .int(0)])
            return .active
        }
    }

    /// Notes the activity in its record, if it has one that has not ended. A pending record without a start that is out
    /// is taken by an activity that names no start.
    private static let statement = """
        WITH mine AS (
            SELECT la.generation, la.status,
                la.status = 'ended' AND NOT (la.end_reason = 'match_end' AND la.end_dismissal = 'linger') AS has_ended,
                la.activity_id = $4
                    -- The card of a start before may have come with a token, which is another one.
                    OR la.update_token IS NULL AND (la.start_id = $5::text OR la.status = 'pending' AND $5::text IS NULL)
                    AS is_named
            FROM live_activities AS la
            WHERE la.match_id = $1 AND la.user_id = $2 AND la.device_id = $3
            ORDER BY la.generation DESC LIMIT 2 FOR UPDATE
        ), noted AS (
            UPDATE live_activities AS la SET activity_id = $4, channel_id = $6, status = 'active', update_token = NULL,
                activated_at = coalesce(la.activated_at, clock_timestamp()), seen_at = clock_timestamp()
            FROM mine
            WHERE la.match_id = $1 AND la.user_id = $2 AND la.device_id = $3 AND la.generation = mine.generation
                AND mine.is_named AND la.status <> 'ended'
                AND EXISTS (SELECT FROM match_follows AS w WHERE w.match_id = $1 AND w.user_id = $2)
            RETURNING 1
        )
        SELECT EXISTS (SELECT FROM fixtures WHERE match_id = $1)
                OR EXISTS (SELECT FROM active_matches WHERE match_id = $1) AS is_known,
            EXISTS (SELECT FROM match_follows WHERE match_id = $1 AND user_id = $2) AS is_followed,
            EXISTS (SELECT FROM noted) OR EXISTS (SELECT FROM mine WHERE is_named AND NOT has_ended) AS stays,
            EXISTS (SELECT FROM mine WHERE is_named AND has_ended) AS has_ended
        """

    /// Makes a record of the activity in place of the phone's current one, which ends.
    private static let replace = """
        WITH former AS (
            UPDATE live_activities AS la SET status = 'ended', end_reason = 'match_end', ended_at = clock_timestamp(),
                end_push = CASE WHEN la.update_token IS NULL THEN 'none' ELSE 'due' END, end_dismissal = 'now'
            WHERE la.match_id = $1 AND la.user_id = $2 AND la.device_id = $3 AND la.status <> 'ended'
            RETURNING la.generation
        )
        INSERT INTO live_activities
            (match_id, user_id, device_id, generation, route, shard, status, activity_id, start_id, channel_id,
             activated_at, seen_at)
        SELECT $1, $2, $3,
            coalesce((SELECT max(generation) FROM live_activities
                WHERE match_id = $1 AND user_id = $2 AND device_id = $3), 0) + 1,
            $7, $8, 'active', $4, $5::text, $6, clock_timestamp(), clock_timestamp()
        FROM (SELECT count(*) FROM former) AS one
        """
}
