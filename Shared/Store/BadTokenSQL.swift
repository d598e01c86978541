/// What is kept of accounts that registered tokens which APNs calls bad, for an hour (`bad_tokens`).
package enum BadTokenSQL {
    package static let window = "interval '1 hour'"

    /// Runs a statement that retires tokens, counts one bad token for each `user_id` that it returns, and returns those. An
    /// hour begins with its first bad token.
    /// - Parameter isBad: which of them; all if left out.
    package static func counting(_ retirement: String, where isBad: String = "true") -> String {
        """
        WITH retired AS (\(retirement)), counted AS (
            INSERT INTO bad_tokens AS b (user_id, since, count)
            SELECT user_id, clock_timestamp(), count(*) FROM retired WHERE \(isBad) GROUP BY user_id ORDER BY user_id
            ON CONFLICT (user_id) DO UPDATE SET
                since = CASE WHEN \(isOver("b")) THEN excluded.since ELSE b.since END,
                count = CASE WHEN \(isOver("b")) THEN excluded.count ELSE b.count + excluded.count END
        )
        SELECT user_id FROM retired WHERE \(isBad)
        """
    }

    /// Of a row of `bad_tokens`.
    package static func isOver(_ row: String) -> String { "\(row).since <= clock_timestamp() - \(window)" }
}
