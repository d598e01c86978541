import SightscreenModels

/// Decides when the app ends an activity without new content, because no score is better than an old one.
///
/// The backend sends an update at least every 20 minutes, so the rule only finds activities whose updates are lost.
enum StaleRule {
    /// The longest time without a content update, in seconds.
    static let limit = 30 * 60
    /// The shortest time from a content to its stale date, in seconds. The backend uses 10 min in play, and more in
    /// breaks.
    static let staleDateAhead = 10 * 60

    /// The longest time without an update in a break, in seconds.
    static let breakUpdateInterval = 20 * 60

    /// Returns the stale date of content with which the app starts an activity, as the backend would set it.
    ///
    /// - Parameters:
    ///   - state: the content.
    ///   - start: the time at which the activity appears, in seconds since 1970.
    static func staleDate(of state: ContentState, from start: Int) -> Int {
        start + staleDateAhead + (isInBreak(state) ? breakUpdateInterval : 0)
    }

    /// Whether the next update may only be the one that says that nothing has changed.
    private static func isInBreak(_ state: ContentState) -> Bool {
        switch state.matchDisplayState {
        case .scheduled, .inningsBreak, .suspended: true
        // Lunch, tea and drinks are in play with a status.
        case .live: state.expanded.status != nil
        case .completed, .abandoned, .other: false
        }
    }

    /// Returns the latest time at which content that the app finds can have come.
    ///
    /// - Parameters:
    ///   - content: the content that the activity shows.
    ///   - now: the present, in seconds since 1970.
    static func lastChange(of content: ShownContent, seenAt now: Int) -> Int {
        guard let staleAt = content.staleAt else { return now }
        return min(now, staleAt - staleDateAhead)
    }

    static func isStale(lastChange: Int, now: Int) -> Bool { now - lastChange >= limit }
}
