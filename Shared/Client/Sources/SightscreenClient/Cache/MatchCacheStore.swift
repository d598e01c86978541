public import Observation
public import SightscreenModels

/// The matches that are known without asking the gateway: in memory, by day, and on disk.
///
/// The schedule is the same for every user, so it stays when a user signs out.
@MainActor
public protocol MatchCacheStore: AnyObject, Observable, Sendable {
    /// Returns the day from memory, however old it is.
    func schedule(on day: UTCDay) -> CachedDay?

    /// Returns a match of a day that is in memory.
    func match(_ id: MatchID) -> MatchItem?

    /// The matches in play, however old the answer is.
    var live: CachedLive? { get }

    /// Returns the day from memory or, failing that, from disk.
    func storedSchedule(on day: UTCDay) async -> CachedDay?

    /// Keeps a day: in memory at once, if it is in the window, and on disk soon.
    func keep(_ entry: CachedDay)

    /// Keeps the matches in play, in memory only, in place of the list before.
    func keep(_ live: CachedLive)

    /// Sets the days that stay in memory, besides today.
    func slide(to window: ClosedRange<UTCDay>)

    /// Loads the days on disk into memory before everything else at a launch, so that the first frame has matches.
    func loadFromDisk() async

    /// Returns when all kept days are on disk.
    func flush() async

    /// Removes everything from memory and disk, and returns when that is done.
    func removeAll() async
}
