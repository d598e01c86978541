import Activities

/// The SQL for the generations of a match on one phone that calls of its app have made: reports, and follows whose start
/// was never sent. `ActivityTokenRule.reportedMax` bounds them. Those of starts that were sent have the bounds of
/// `StartPolicy`.
package enum ReportedGenerationSQL {
    /// A condition on a row of `live_activities`: its start, or the start of its renewal, was sent.
    package static func startWasSent(_ row: String) -> String {
        "(\(row).start_sent_at IS NOT NULL OR \(row).renewal_sent_at IS NOT NULL)"
    }

    /// A condition: there is no room for another one.
    package static func isFull(match: String, user: String, device: String) -> String {
        """
        ((SELECT count(*) FROM live_activities AS g
            WHERE g.match_id = \(match) AND g.user_id = \(user) AND g.device_id = \(device)
                AND NOT \(startWasSent("g"))) >= \(ActivityTokenRule.reportedMax))
        """
    }
}
