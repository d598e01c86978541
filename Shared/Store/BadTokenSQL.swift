/// What is kept of accounts that registered tokens which APNs calls bad, for an hour (`bad_tokens`).
enum BadTokenSQL {
    static let window = "interval '1 hour'"

    /// Counts one for each row, a user, of a query. An hour begins with its first bad token.
    static func count(_ users: String) -> String {
        """
        INSERT INTO bad_tokens AS b (user_id, since, count)
        SELECT bad.user_id, clock_timestamp(), count(*) FROM (\(users)) AS bad GROUP BY bad.user_id
        ON CONFLICT (user_id) DO UPDATE SET
            since = CASE WHEN \(isOver("b")) THEN excluded.since ELSE b.since END,
            count = CASE WHEN \(isOver("b")) THEN excluded.count ELSE b.count + excluded.count END
        """
    }

    /// Of a row of `bad_tokens`.
    static func isOver(_ row: String) -> String { "\(row).since <= clock_timestamp() - \(window)" }
}
