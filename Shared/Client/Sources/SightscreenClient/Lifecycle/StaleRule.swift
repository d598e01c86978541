import SightscreenModels

/// When an activity that gets no news is ended by the app: better no score than an old one.
///
/// The backend sends something every 20 minutes whatever happens, so this finds only what the backend has lost.
enum StaleRule {
    /// Seconds without a content update.
    static let limit = 30 * 60
    /// The least time between a content and its stale-date; the backend gives 10 min in play, more in breaks.
    static let staleDateAhead = 10 * 60

    /// When a content that was there before the app looked can have come, at the latest.
    ///
    /// - Parameter now: seconds since 1970.
    static func lastNews(of content: ShownContent, seenAt now: Int) -> Int {
        guard let staleAt = content.staleAt else { return now }
        return min(now, staleAt - staleDateAhead)
    }

    static func isStale(lastNews: Int, now: Int) -> Bool { now - lastNews >= limit }
}
