package import Postgres
package import SightscreenModels

/// A broadcast channel of a match that APNs has not deleted, as people are shown it.
package struct MatchChannel: Sendable, Codable, Equatable {
    package var environment: String
    /// The alert level of the class.
    package var alerts: String
    package var generation: Int
    /// APNs' name for it; nil until it is made.
    package var channelId: ChannelID?
    /// `asked`, `open`, `ending` or `lost`.
    package var state: String
    /// Activities that were started on it and have not ended.
    package var activities: Int
    package var perMinute: Int
    package var restsUntil: Int?
    /// The number of ends that were published.
    package var ends: Int
    package var lostReason: String?
    package var since: Int

    /// Selects the channels of a match (`$1`).
    package static let statement = """
        SELECT c.environment, \(ChannelSQL.alerts("c.class")) AS alerts, c.generation, c.channel_id, c.ends,
            \(ChannelSQL.perMinute("c")) AS per_minute,
            c.lost_reason, CASE WHEN c.lost_at IS NOT NULL THEN 'lost' WHEN c.ended_at IS NOT NULL THEN 'ending'
                WHEN c.channel_id IS NULL THEN 'asked' ELSE 'open' END AS state,
            floor(extract(epoch FROM coalesce(c.lost_at, c.ended_at, c.opened_at, c.created_at)))::bigint AS since,
            CASE WHEN c.rests_until > clock_timestamp()
                THEN floor(extract(epoch FROM c.rests_until))::bigint END AS rests_until,
            (SELECT count(*) FROM live_activities AS a
                WHERE a.match_id = c.match_id AND a.channel_id = c.channel_id AND a.status = 'active')
                AS activities
        FROM broadcast_channels AS c WHERE c.match_id = $1::bigint AND c.deleted_at IS NULL
        ORDER BY c.environment, c.class, c.generation
        """

    /// Reads a row of `statement`.
    package init(_ row: PostgresRow) throws {
        environment = try row.string("environment")
        alerts = try row.string("alerts")
        generation = try row.int("generation")
        channelId = try row.optionalString("channel_id").map { ChannelID($0) }
        state = try row.string("state")
        activities = try row.int("activities")
        perMinute = try row.int("per_minute")
        restsUntil = try row.optionalInt("rests_until")
        ends = try row.int("ends")
        lostReason = try row.optionalString("lost_reason")
        since = try row.int("since")
    }
}
