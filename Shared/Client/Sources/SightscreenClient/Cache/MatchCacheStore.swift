public import Observation
public import SightscreenModels

/// What is known of matches without asking the gateway: in memory, by day, and on disk.
///
/// The schedule is the same for every user, so nothing of it has to go when one signs out.
@MainActor
public protocol MatchCacheStore: AnyObject, Observable, Sendable {
    /// What is in memory for a day, however old it is.
    func schedule(on day: UTCDay) -> CachedDay?

    /// A match of a day that is in memory.
    func match(_ id: MatchID) -> MatchItem?

    /// The matches in play, however old the answer is.
    var live: CachedLive? { get }

    /// What is in memory or, failing that, on disk.
    func storedSchedule(on day: UTCDay) async -> CachedDay?

    /// In memory at once, where its day is in the window; on disk soon.
    func keep(_ entry: CachedDay)

    /// In memory only, in place of the list before.
    func keep(_ live: CachedLive)

    /// Which days stay in memory, beside today.
    func slide(to window: ClosedRange<UTCDay>)

    /// Brings what is on disk into memory, before anything else is done at a launch, so that the first frame has matches.
    func loadFromDisk() async

    /// Returns when what was kept is on disk.
    func flush() async

    /// Forgets everything, in memory and on disk, and returns when that is done.
    func removeAll() async
}
