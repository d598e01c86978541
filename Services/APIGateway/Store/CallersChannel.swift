import Postgres
import SightscreenModels
import Store

/// The broadcast channel that a user's own activity of a match is to listen to.
enum CallersChannel {
    /// Selects the channel of a follow's class (`$1` the user, `$2` the match) for a phone (`$3`; null: the one of those
    /// that can listen which was seen last).
    static let statement = """
        SELECT c.channel_id, floor(extract(epoch FROM s.starts_at))::bigint AS starts_at
        FROM match_follows AS w
        JOIN devices AS d ON d.user_id = w.user_id AND d.left_at IS NULL AND ($3::text IS NULL OR d.device_id = $3)
        JOIN broadcast_channels AS c ON \(ChannelSQL.isFor(match: "w.match_id", device: "d", follow: "w"))
            AND \(ChannelSQL.isOpen("c"))
        LEFT JOIN fixtures AS s ON s.match_id = w.match_id
        WHERE w.user_id = $1 AND w.match_id = $2
        ORDER BY d.last_seen_at DESC LIMIT 1
        """

    static func parameters(_ user: UserID, _ match: MatchID, _ device: DeviceID?) -> [PostgresValue] {
        [.text(user.rawValue), .int(match.rawValue), PostgresValue(device?.rawValue)]
    }

    static func read(_ rows: [PostgresRow]) throws -> BroadcastChannel? {
        try rows.first.map {
            BroadcastChannel(
                id: ChannelID(try $0.string("channel_id")), startsAt: try $0.optionalInt("starts_at"))
        }
    }

    /// Has the activities on channels of another class than the follow's (`$1` the user, `$2` the match) moved, unless
    /// the app has moved them itself within the time that it has for starting an activity (`$3`, in seconds).
    static let moveActivities = """
        UPDATE live_activities AS la SET renewal_due_at = clock_timestamp() + make_interval(secs => $3::int)
        FROM match_follows AS w
        WHERE w.user_id = $1 AND w.match_id = $2 AND la.user_id = w.user_id AND la.match_id = w.match_id
            AND la.status = 'active' AND la.channel_id IS NOT NULL AND la.renewal_due_at IS NULL
            AND NOT EXISTS (
                SELECT FROM broadcast_channels AS c
                WHERE c.match_id = la.match_id AND c.channel_id = la.channel_id AND \(ChannelSQL.isOpen("c"))
                    AND c.class = \(ChannelSQL.audience("w.alerts")))
        """

    /// Asks the phones on which a user's activity of a match (`$1`, `$2`) listened to a channel to reconcile.
    static let askPhones = """
        UPDATE devices AS d SET reconcile_due_at = clock_timestamp() WHERE d.user_id = $2 AND \(ChannelSQL.hasCard(match: "$1"))
        """
}
