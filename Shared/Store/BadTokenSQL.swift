/// SQL that counts, for an hour, the tokens that APNs calls bad and the accounts that registered them (`bad_tokens`).
package enum BadTokenSQL {
    package static let window = "interval '1 hour'"

    /// Builds a statement that runs one which retires tokens, counts a bad token for each `user_id` that it returns,
    /// and returns these. An hour begins with its first bad token.
    /// - Parameter isBad: a condition on the retired rows that are counted; all if left out.
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

    /// A condition on a row of `bad_tokens`: its hour is over.
    package static func isOver(_ row: String) -> String { "\(row).since <= clock_timestamp() - \(window)" }
}
