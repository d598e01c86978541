import SightscreenModels

/// The activities on this phone, by match. A match has two while one replaces the other.
struct ActivityMap: Sendable {
    struct Entry: Sendable {
        var activity: PhoneActivity
        /// The time at which the app first saw the activity, in seconds since 1970.
        var seenAt: Int
        /// The time of its last new content, in seconds since 1970.
        var lastChange: Int
        /// The cause with which the app ended it; nil if the app did not.
        var endedByApp: EndCause?
        /// The time since which the system's list has lacked it, in seconds since 1970; nil while it is listed.
        var missingSince: Int?
    }

    /// The activities in order of appearance. A phone shows only a few.
    private(set) var entries: [Entry] = []

    subscript(_ id: ActivityID) -> Entry? { entries.first { $0.activity.id == id } }

    subscript(_ match: MatchID) -> [PhoneActivity] {
        entries.map(\.activity).filter { $0.matchID == match }
    }

    var activities: [PhoneActivity] { entries.map(\.activity) }

    /// - Returns: false when the activity is known already.
    mutating func insert(_ activity: PhoneActivity, now: Int) -> Bool {
        guard self[activity.id] == nil else { return false }
        entries.append(
            Entry(activity: activity, seenAt: now, lastChange: StaleRule.lastChange(of: activity.content, seenAt: now)))
        return true
    }

    mutating func remove(_ id: ActivityID) -> Entry? {
        guard let index = index(id) else { return nil }
        return entries.remove(at: index)
    }

    /// - Returns: the activity with the new content; nil when it shows that already. The content that it shows when the
    ///   app begins to observe it is not new.
    mutating func show(_ content: ShownContent, on id: ActivityID, now: Int) -> PhoneActivity? {
        guard let index = index(id), entries[index].activity.content != content else { return nil }
        entries[index].activity.content = content
        entries[index].lastChange = now
        return entries[index].activity
    }

    /// - Returns: the state before; nil when the activity is in that state already.
    mutating func set(_ state: PhoneActivityState, of id: ActivityID, now: Int) -> PhoneActivityState? {
        guard let index = index(id), entries[index].activity.state != state else { return nil }
        let before = entries[index].activity.state
        entries[index].activity.state = state
        if before == .pending {
            // A scheduled activity is first seen when it appears.
            entries[index].seenAt = now
            entries[index].lastChange = now
        }
        return before
    }

    /// - Returns: false when there is no such activity, or the app has ended it already. An activity that is over and
    ///   still on screen can be ended, which removes it.
    mutating func end(_ id: ActivityID, because cause: EndCause) -> Bool {
        guard let index = index(id), entries[index].endedByApp == nil else { return false }
        entries[index].endedByApp = cause
        return true
    }

    /// Notes which activities the system's list has and lacks. Those that are over may be missing.
    mutating func compare(with listed: [ActivityID], now: Int) {
        for index in entries.indices {
            let activity = entries[index].activity
            let isListed = listed.contains(activity.id) || !(activity.isRunning || activity.state == .pending)
            entries[index].missingSince = isListed ? nil : entries[index].missingSince ?? now
        }
    }

    /// The activities that the system's list lacks.
    var missing: [Entry] { entries.filter { $0.missingSince != nil } }

    func staleActivities(now: Int) -> [ActivityID] {
        entries.filter { $0.activity.isRunning && StaleRule.isStale(lastChange: $0.lastChange, now: now) }.map(
            \.activity.id)
    }

    private func index(_ id: ActivityID) -> Int? { entries.firstIndex { $0.activity.id == id } }
}
