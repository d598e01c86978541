import SightscreenModels

/// The activities on this phone, by match. A match has two while one takes over from the other.
struct ActivityMap: Sendable {
    struct Entry: Sendable {
        var activity: PhoneActivity
        /// When the app first saw it, seconds since 1970.
        var seenAt: Int
        /// When it last showed something new.
        var lastNews: Int
        /// The app ended it, and why.
        var endedByApp: EndCause?
    }

    /// In order of appearance. A phone shows a handful.
    private(set) var entries: [Entry] = []

    subscript(_ id: ActivityID) -> Entry? { entries.first { $0.activity.id == id } }

    subscript(_ match: MatchID) -> [PhoneActivity] {
        entries.map(\.activity).filter { $0.matchID == match }
    }

    var activities: [PhoneActivity] { entries.map(\.activity) }

    /// - Returns: false when it is known already.
    mutating func insert(_ activity: PhoneActivity, now: Int) -> Bool {
        guard self[activity.id] == nil else { return false }
        entries.append(
            Entry(activity: activity, seenAt: now, lastNews: StaleRule.lastNews(of: activity.content, seenAt: now)))
        return true
    }

    mutating func remove(_ id: ActivityID) -> Entry? {
        guard let index = index(id) else { return nil }
        return entries.remove(at: index)
    }

    /// - Returns: the activity as it is now; nil when it shows that already. What it shows when the app begins to look
    ///   is no news.
    mutating func show(_ content: ShownContent, on id: ActivityID, now: Int) -> PhoneActivity? {
        guard let index = index(id), entries[index].activity.content != content else { return nil }
        entries[index].activity.content = content
        entries[index].lastNews = now
        return entries[index].activity
    }

    /// - Returns: the state before; nil when it is in that state already.
    mutating func set(_ state: PhoneActivityState, of id: ActivityID) -> PhoneActivityState? {
        guard let index = index(id), entries[index].activity.state != state else { return nil }
        defer { entries[index].activity.state = state }
        return entries[index].activity.state
    }

    /// - Returns: false when there is nothing to end, or the app has ended it already. One that is over and still on the
    ///   screen is to leave it.
    mutating func end(_ id: ActivityID, because cause: EndCause) -> Bool {
        guard let index = index(id), entries[index].endedByApp == nil else { return false }
        entries[index].endedByApp = cause
        return true
    }

    func staleActivities(now: Int) -> [ActivityID] {
        entries.filter { $0.activity.isRunning && StaleRule.isStale(lastNews: $0.lastNews, now: now) }.map(
            \.activity.id)
    }

    private func index(_ id: ActivityID) -> Int? { entries.firstIndex { $0.activity.id == id } }
}
