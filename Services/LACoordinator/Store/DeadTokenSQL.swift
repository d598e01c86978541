/// `DeadTokenRule.isAbout` as SQL: tells whether APNs' word that a token is dead is about the token as it is registered
/// now.
enum DeadTokenSQL {
    /// - Parameters:
    ///   - registered: the column with the time of the token's registration.
    ///   - since: the parameter with APNs' own time, in milliseconds since 1970; null when the answer gave none.
    static func isAbout(registered: String, since: String) -> String {
        """
        (\(since)::bigint IS NULL OR \(registered) IS NULL
            OR date_trunc('milliseconds', \(registered)) <= to_timestamp(\(since)::bigint / 1000.0))
        """
    }
}
