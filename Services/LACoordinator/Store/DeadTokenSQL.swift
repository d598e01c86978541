/// `DeadTokenRule.isAbout` for rows: whether APNs' word that a token is dead is about the token as it is registered.
enum DeadTokenSQL {
    /// - Parameters:
    ///   - registered: the column that says since when.
    ///   - since: a parameter, APNs' own time in milliseconds since 1970; null when it gave none.
    static func isAbout(registered: String, since: String) -> String {
        """
        (\(since)::bigint IS NULL OR \(registered) IS NULL
            OR date_trunc('milliseconds', \(registered)) <= to_timestamp(\(since)::bigint / 1000.0))
        """
    }
}
