import Activities
package import Postgres
package import SightscreenModels
import Store

/// Records activities that listen to broadcast channels, as the app reports them when it happens to run
/// (`POST /matches/:id/activity`).
package struct ActivityReportStore: Sendable {
    private let pool: PostgresPool

    package init(pool: PostgresPool) { self.pool = pool }

    /// Records that an activity is there, by the rule for activity tokens. The one of a push-to-start takes that start's
    /// record; one that the app started itself takes the place of any other on the phone, which the app ends. One on a
    /// channel that is none of the match's gets no update, so it is not recorded.
    /// - Returns: `active`, or `ended` when the app is to end it; nil if there is no such match.
    /// - Throws: `DeviceRequired`, `LimitReached`, `PostgresError`.
    package func report(
        _ report: ActivityReport, match: MatchID, user: UserID
    ) async throws -> LiveActivityOutlook? {
        try await pool.forUser(user) { transaction in
            let device = try await UserDevices.resolve(transaction, user: user, device: report.deviceId)
            let situation = try await transaction.query(
                Self.situation,
                [.intArray([match.rawValue]), .int(0), .text(user.rawValue), .text(report.channelId.rawValue)]
            ).first
            guard let situation, try situation.bool("is_known") else { return nil }
            guard try situation.bool("is_its_channel") else { return .ended }
            let key: [PostgresValue] = [.int(match.rawValue), .text(user.rawValue), .text(device.rawValue)]
            let records = try await transaction.query(Self.records, key)
            let rule = ActivityTokenRule(
                token: nil, activityID: report.activityId, startID: report.startId,
                isFollowed: try situation.bool("is_followed"), matchIsOver: try situation.bool("is_over"))
            let action = rule.action(for: try records.map { try ActivityTokenStore.generation($0, nil, reported: nil) })
            let activity = PostgresValue.text(report.activityId.rawValue)
            let channel = PostgresValue.text(report.channelId.rawValue)
            let write: PostgresStatement
            switch action {
            case .activate(let generation), .rotate(let generation), .keep(let generation):
                write = PostgresStatement(Self.note, key + [.int(generation), activity, channel])
            case .adopt, .replace:
                var former: Int?
                if case .replace(let generation) = action { former = generation }
                let route = DeviceRoute(user: user, device: device)
                write = PostgresStatement(
                    Self.insertion,
                    key + [
                        PostgresValue(former), activity, channel, PostgresValue(report.startId?.rawValue),
                        .int(route.hash), .int(route.shard),
                    ])
            case .pass(.tooManyGenerations): throw LimitReached(.activities)
            case .pass(.tooManyEnds): throw LimitReached(.owedEnds)
            case .end(let generation?):
                let record = try records.first { try $0.int("generation") == generation }
                return try record?.bool("stays") == true ? .active : .ended
            case .end(nil), .refuse, .pass, .wait: return .ended
            }
            try await UserDevices.touch(transaction, user: user, device: device)
            try await transaction.execute(write.sql, write.parameters)
            // The alert level may have changed since the app learnt of the channel.
            try await transaction.execute(
                CallersChannel.moveActivities, [.text(user.rawValue), .int(match.rawValue), .int(0)])
            return .active
        }
    }

    private static let situation = """
        SELECT s.*, EXISTS (SELECT FROM match_follows AS w WHERE w.match_id = s.match_id AND w.user_id = $3) AS is_followed,
            EXISTS (SELECT FROM broadcast_channels AS c WHERE c.match_id = s.match_id AND c.channel_id = $4)
                AS is_its_channel
        FROM (\(ActivityTokenStore.situations)) AS s
        """

    /// The phone's generations of the match, newest first. The result that lingers stays, because the channel's end
    /// takes it off.
    private static let records = """
        SELECT \(ActivityTokenStore.columnsOfPhone),
            a.status <> 'ended' OR a.end_reason = 'match_end' AND a.end_dismissal = 'linger' AS stays
        FROM live_activities a WHERE match_id = $1 AND user_id = $2 AND device_id = $3
        ORDER BY generation DESC LIMIT \(ActivityTokenStore.recordsMax) FOR UPDATE
        """

    private static let note = """
        UPDATE live_activities AS la SET activity_id = $5, channel_id = $6, status = 'active', update_token = NULL,
            activated_at = coalesce(la.activated_at, clock_timestamp()), seen_at = clock_timestamp()
        WHERE la.match_id = $1 AND la.user_id = $2 AND la.device_id = $3 AND la.generation = $4
        """

    /// Makes a record of the activity, in place of the generation `$4`, which ends.
    private static let insertion = """
        WITH former AS (
            UPDATE live_activities AS la SET status = 'ended', end_reason = 'match_end', ended_at = clock_timestamp(),
                end_push = CASE WHEN la.update_token IS NULL THEN 'none' ELSE 'due' END, end_dismissal = 'now'
            WHERE la.match_id = $1 AND la.user_id = $2 AND la.device_id = $3 AND la.generation = $4::int
                AND la.status <> 'ended'
            RETURNING la.renewal_start_id, la.renewal_sent_at
        )
        INSERT INTO live_activities
            (match_id, user_id, device_id, generation, route, shard, status, activity_id, start_id, start_sent_at,
             channel_id, activated_at, seen_at)
        SELECT $1, $2, $3,
            coalesce((SELECT max(generation) FROM live_activities
                WHERE match_id = $1 AND user_id = $2 AND device_id = $3), 0) + 1,
            $8, $9, 'active', $5, $7::text, one.renewal_sent_at, $6, clock_timestamp(), clock_timestamp()
        FROM (SELECT max(renewal_sent_at) FILTER (WHERE renewal_start_id = $7) AS renewal_sent_at FROM former) AS one
        """
}
