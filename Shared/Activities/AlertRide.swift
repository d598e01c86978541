public import Sightscreen

/// The alerts of one match that may still be told. An alert whose version was skipped rides on the next one while it is
/// fresh; a phone that is told a newer one is not told the older one any more.
public struct AlertRide: Sendable {
    public struct Entry: Sendable, Hashable {
        public let version: MatchVersion
        public let alert: MatchAlert
    }

    /// With the payload without alert four variants of a version, each encoded once.
    public static let entriesMax = 3

    /// Seconds that an alert is news after its event.
    public let freshness: Int
    /// Oldest first.
    public private(set) var entries: [Entry] = []

    public init(freshness: Int) { self.freshness = freshness }

    public mutating func published(_ version: MatchVersion, _ alert: MatchAlert) {
        guard !entries.contains(where: { $0.version == version }) else { return }
        entries.append(Entry(version: version, alert: alert))
        entries.sort { $0.version < $1.version }
        if entries.count > Self.entriesMax { entries.removeFirst(entries.count - Self.entriesMax) }
    }

    /// The newest fresh alert that a phone has not had.
    /// - Parameters:
    ///   - after: the last alert that the phone was told or that was lost on the way to it.
    ///   - now: seconds since 1970.
    ///   - isAllowed: whether this phone wants it and it is claimed for it.
    public func ride(after: MatchVersion?, now: Int, where isAllowed: (Entry) -> Bool) -> Entry? {
        entries.last { entry in
            isFresh(entry, now: now) && (after.map { $0 < entry.version } ?? true) && isAllowed(entry)
        }
    }

    public func isFresh(_ entry: Entry, now: Int) -> Bool { now - entry.alert.eventAt <= freshness }

    /// Whether there is an alert that may still be told.
    public func hasFresh(now: Int) -> Bool { entries.contains { isFresh($0, now: now) } }

    /// Forgets what is no longer news.
    public mutating func expire(now: Int) { entries = entries.filter { isFresh($0, now: now) } }
}
