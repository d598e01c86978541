/// What a phone has been sent lately, over rows `other` of `live_activities`: starts of its own and renewals.
package enum StartBudget {
    /// Starts in an hour.
    /// - Parameter ofPhone: of `other`, among all phones of the user.
    package static func thisHour(_ ofPhone: String) -> String {
        [("start_attempts", "start_sent_at"), ("renewal_attempts", "renewal_sent_at")].map { attempts, sentAt in
            """
            coalesce(sum(other.\(attempts)) FILTER (WHERE \(ofPhone)
                AND other.\(sentAt) > clock_timestamp() - interval '1 hour'), 0)
            """
        }.joined(separator: " + ")
    }

    /// It may have been sent a start in the last 24 hours.
    package static let isOfToday =
        "greatest(other.start_sent_at, other.renewal_sent_at) > clock_timestamp() - interval '24 hours'"
}

/// How old an activity is.
package enum ActivityAge {
    /// When the activity of a row of `live_activities` began on the phone, at the earliest.
    package static func began(_ row: String) -> String {
        "coalesce(\(row).start_sent_at, \(row).activated_at, \(row).created_at)"
    }
}
