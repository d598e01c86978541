public import Observation
public import SightscreenModels

/// Schedules of days, fetched and cached.
@MainActor
public protocol ScheduleService: AnyObject, Observable, Sendable {
    /// The day that the user looks at; those around it are in memory. Who looks at today looks at the new day after midnight.
    var shownDay: UTCDay { get }

    /// What is in memory for a day, however old it is: at once, for a first frame.
    func cached(_ day: UTCDay) -> CachedDay?

    /// What is in memory or on disk, however old it is. A disk that does not answer soon has nothing.
    func stored(_ day: UTCDay) async -> CachedDay?

    /// Whether what is cached needs no question to the gateway.
    func isFresh(_ entry: CachedDay) -> Bool

    /// From the cache as long as that is fresh, otherwise from the gateway. Today is never fresh.
    func fetchSchedule(for day: UTCDay) async throws(APIError) -> CachedDay

    /// The user looks at this day now. As `fetchSchedule`, but the gateway is asked only when no other day is shown soon
    /// after it.
    /// - Throws: `.superseded` when one is.
    func show(_ day: UTCDay) async throws(APIError) -> CachedDay

    /// From the gateway. Calls for one day at the same time share one answer.
    func refresh(_ day: UTCDay) async throws(APIError) -> CachedDay
}

extension ScheduleService {
    /// The app comes to the front: matches may be in play, of today and of an evening that has gone on past midnight.
    /// - Returns: today's.
    @discardableResult
    public func refreshToday(_ clock: any ClientClock) async throws(APIError) -> CachedDay {
        let today = UTCDay(at: clock.now)
        let entry = try await refresh(today)
        // What is in play in it is not today's: without it today's is as good.
        if cached(today - 1)?.isInPlay(now: clock.now) == true { _ = try? await refresh(today - 1) }
        return entry
    }
}
