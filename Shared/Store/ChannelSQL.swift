/// The SQL about broadcast channels that several services' statements share.
package enum ChannelSQL {
    /// A condition on a row of `broadcast_channels`: activities may be started on the channel.
    package static func isOpen(_ row: String) -> String {
        "(\(row).channel_id IS NOT NULL AND \(isCurrent(row)))"
    }

    /// A condition on a row of `broadcast_channels`: the channel is open, or is being made.
    package static func isCurrent(_ row: String) -> String { "(\(row).ended_at IS NULL AND \(row).lost_at IS NULL)" }

    /// The publishes a minute that a channel may have now, of a row of `broadcast_channels`: what a 429 has taught, and one more
    /// in every five minutes since its rest, as `ChannelPacer` recovers. So the row need not be written again.
    package static func perMinute(_ row: String) -> String {
        """
        least(12, \(row).per_minute
            + greatest(0, floor(extract(epoch FROM clock_timestamp() - \(row).rests_until) / 300)))::int
        """
    }

    /// A condition on a row of `live_activities`: its card listens to a channel, or a renewal on one is on its way.
    package static func listens(_ row: String) -> String {
        "(\(row).channel_id IS NOT NULL OR \(row).renewal_channel_id IS NOT NULL)"
    }

    /// A condition on a row `d` of `devices`: a card of the user's that listens to a channel may be on the phone. No push
    /// ends a single one of those: its app has to be asked.
    /// - Parameter match: the match's id; nil for any.
    package static func hasCard(match: String? = nil) -> String {
        """
        (d.device_token IS NOT NULL AND EXISTS (
            SELECT FROM live_activities AS la
            WHERE la.user_id = d.user_id AND la.device_id = d.device_id
                AND \(listens("la"))
                AND (la.status = 'active' OR la.status = 'pending' AND la.start_sent_at IS NOT NULL)
                AND la.match_id = \(match ?? "la.match_id")))
        """
    }

    /// The number of an `AudienceClass`.
    /// - Parameter alerts: the follow's alert level.
    package static func audience(_ alerts: String) -> String {
        "(CASE \(alerts) WHEN 'key' THEN 1 WHEN 'none' THEN 2 ELSE 0 END)"
    }

    /// The alert level of a class.
    package static func alerts(_ audience: String) -> String {
        "(CASE \(audience) WHEN 1 THEN 'key' WHEN 2 THEN 'none' ELSE 'all' END)"
    }

    /// A condition on a row `d` of `devices`: a card can be started on the phone, and on a channel. The trigger
    /// `devices_listen` marks a phone for which it comes true.
    package static let canListen = "(d.broadcast AND \(LiveMatch.capableDevice))"

    /// A condition on a row `c` of `broadcast_channels`: it is for a phone and a follow of these rows.
    package static func isFor(match: String, device: String, follow: String) -> String {
        """
        (c.match_id = \(match) AND c.environment = \(device).environment
            AND c.class = \(audience("\(follow).alerts")) AND \(device).broadcast)
        """
    }

    /// A condition on rows `f` of `fixtures` and `a` of `active_matches`, either of which may be missing: the match has
    /// activities, or will have some within three hours.
    package static let hasActivities = """
        (CASE WHEN a.version > 0 THEN a.ended_at IS NULL AND NOT a.at_stumps
            ELSE f.starts_at BETWEEN clock_timestamp() - interval '6 hours' AND clock_timestamp() + interval '3 hours'
                AND NOT \(FixtureSQL.isOver("f.status")) AND NOT \(FixtureSQL.isCalledOff("f.status")) END)
        """
}
