/// The SQL about the time that is lost when the database goes back (`database_history`). In that time phones may have
/// got cards, and users alerts, of which the database knows nothing.
package enum LostTimeSQL {
    /// When the database last went back; the beginning of time if never. PostgreSQL evaluates it once in a statement.
    package static let end = "(SELECT h.went_back_at FROM database_history AS h)"

    /// A condition on a row `d` of `devices`: a card of `match` that was started in the lost time may be on the phone. It
    /// holds until the phone is heard of, or iOS has ended every such card; not for matches that began well after that
    /// time (an hour: `START_LEAD` is that at most).
    package static func mayHaveCard(of match: String) -> String {
        """
        (d.last_seen_at < \(Self.end) AND \(Self.isRecent) AND NOT EXISTS (
            SELECT FROM fixtures AS later
            WHERE later.match_id = \(match) AND later.starts_at > \(Self.end) + interval '1 hour'))
        """
    }

    /// A condition: cards of the lost time may still be there (`RenewalRule.activityLife`).
    package static let isRecent = "\(Self.end) > clock_timestamp() - interval '8 hours'"

    /// The age from which a card may have been renewed.
    package static let renewalAge = "interval '6 hours 45 minutes'"
}
