/// The SQL for the starts that a phone was sent lately, its own and those of renewals, over rows `other` of
/// `live_activities`.
package enum StartBudget {
    /// The number of starts in the last hour.
    /// - Parameter ofPhone: a condition on `other` that selects the phone's rows.
    package static func thisHour(_ ofPhone: String) -> String {
        [("start_attempts", "start_sent_at"), ("renewal_attempts", "renewal_sent_at")].map { attempts, sentAt in
            """
            coalesce(sum(other.\(attempts)) FILTER (WHERE \(ofPhone)
                AND other.\(sentAt) > clock_timestamp() - interval '1 hour'), 0)
            """
        }.joined(separator: " + ")
    }

    /// A condition: the phone may have been sent this row's start in the last 24 hours.
    package static let isOfToday =
        "greatest(other.start_sent_at, other.renewal_sent_at) > clock_timestamp() - interval '24 hours'"
}

/// The SQL for the age of an activity.
package enum ActivityAge {
    /// The earliest time at which the activity of a row of `live_activities` can have begun on the phone.
    package static func began(_ row: String) -> String {
        "coalesce(\(row).start_sent_at, \(row).activated_at, \(row).created_at)"
    }
}
