public import Observation
public import SightscreenModels

/// The fake of `MatchCacheStore`: a cache without a disk, for previews and tests of views.
@MainActor
@Observable
public final class InMemoryMatchCacheStore: MatchCacheStore {
    private var days: [UTCDay: CachedDay]
    public private(set) var live: CachedLive?

    public init(days: [CachedDay] = [], live: CachedLive? = nil) {
        self.days = Dictionary(days.map { ($0.day, $0) }) { $1 }
        self.live = live
    }

    public func schedule(on day: UTCDay) -> CachedDay? { days[day] }
    public func match(_ id: MatchID) -> MatchItem? { days.values.lazy.compactMap { $0.match(id) }.first }
    public func storedSchedule(on day: UTCDay) -> CachedDay? { days[day] }
    public func keep(_ entry: CachedDay) { days[entry.day] = entry }
    public func keep(_ live: CachedLive) { self.live = live }
    /// Does nothing, because canned days stay.
    public func slide(to window: ClosedRange<UTCDay>) {}
    public func loadFromDisk() {}
    public func flush() {}

    public func removeAll() {
        days = [:]
        live = nil
    }
}
