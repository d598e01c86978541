/// The SQL conditions for a match in play, as far as Live Activities go, in one place for all statements.
public enum LiveMatch {
    /// A condition on a row `a` of `active_matches`: the match is in play. At stumps it is not; once its result is
    /// announced nothing new is started.
    public static let condition = """
        (a.version > 0 AND a.ended_at IS NULL AND a.settled_at IS NULL AND NOT a.at_stumps
         AND a.display_state IN ('live', 'inningsBreak', 'suspended'))
        """

    /// The relevance of a row `a` of `active_matches` as pushes have it; null before the first version.
    package static let relevance = """
        CASE WHEN a.content_state IS NOT NULL AND a.relevance BETWEEN 0 AND 100 THEN a.relevance END
        """

    /// Joins the newest version of a row `a` of `active_matches` as `u`.
    package static let newestVersion = "LEFT JOIN match_updates u ON u.match_id = a.match_id AND u.version = a.version"

    /// A condition on rows `a` and `u`: there may be no new version for as long as a keep-alive takes. For a version
    /// that does not say so, only the breaks that the display state names are known (`MatchUpdate.isInBreak` is the
    /// same rule for a message).
    package static let isBreak = "coalesce(u.is_break, a.display_state IN ('inningsBreak', 'suspended'))"

    /// A condition on a row `d` of `devices`: a push can start an activity on it.
    public static let capableDevice = "(d.live_activities_enabled AND d.push_to_start_token IS NOT NULL)"
}
