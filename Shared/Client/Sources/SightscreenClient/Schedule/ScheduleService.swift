public import Observation
public import SightscreenModels

/// The schedules of days, fetched and cached.
@MainActor
public protocol ScheduleService: AnyObject, Observable, Sendable {
    /// The day that the user looks at. The days around it are in memory. A user who looks at today sees the new day
    /// after midnight.
    var shownDay: UTCDay { get }

    /// Returns a day from memory at once, however old it is, for the first frame.
    func cached(_ day: UTCDay) -> CachedDay?

    /// Returns a day from memory or disk, however old it is; nil also when the disk does not answer soon.
    func stored(_ day: UTCDay) async -> CachedDay?

    /// Whether a cached day can be used without asking the gateway.
    func isFresh(_ entry: CachedDay) -> Bool

    /// Returns a day from the cache while that is fresh, otherwise from the gateway. Today is never fresh.
    func fetchSchedule(for day: UTCDay) async throws(APIError) -> CachedDay

    /// Shows a day to the user. It works like `fetchSchedule`, but asks the gateway only if no other day is shown soon
    /// after it.
    ///
    /// - Throws: `.superseded` when another day is shown.
    func show(_ day: UTCDay) async throws(APIError) -> CachedDay

    /// Fetches a day from the gateway. Concurrent calls for one day share one answer.
    func refresh(_ day: UTCDay) async throws(APIError) -> CachedDay
}

extension ScheduleService {
    /// Fetches today's matches when the app enters the foreground, and also yesterday's while one of them is in play
    /// past midnight.
    ///
    /// - Returns: today's matches.
    @discardableResult
    public func refreshToday(_ clock: any ClientClock) async throws(APIError) -> CachedDay {
        let today = UTCDay(at: clock.now)
        let entry = try await refresh(today)
        // Yesterday's matches are not part of the result, so it does not matter if this fetch fails.
        if cached(today - 1)?.isInPlay(now: clock.now) == true { _ = try? await refresh(today - 1) }
        return entry
    }
}
