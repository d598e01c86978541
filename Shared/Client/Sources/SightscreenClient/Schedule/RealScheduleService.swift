public import Observation
public import SightscreenModels

/// The gateway's schedule, behind a `MatchCacheStore`.
@MainActor
@Observable
public final class RealScheduleService: ScheduleService {
    public private(set) var shownDay: UTCDay

    @ObservationIgnored private let api: SightscreenAPI
    @ObservationIgnored private let cache: any MatchCacheStore
    @ObservationIgnored private let patience: DiskTimeout
    @ObservationIgnored private let clock: any ClientClock
    @ObservationIgnored private let rule: CacheRule
    @ObservationIgnored private let radius: Int
    @ObservationIgnored private let debounce: Duration
    @ObservationIgnored private var fetches: [UTCDay: Task<Result<CachedDay, APIError>, Never>] = [:]
    /// Counts the calls of `show`. Only the last one asks the gateway.
    @ObservationIgnored private var shows = 0
    /// The current day at the last call.
    @ObservationIgnored private var today: UTCDay

    /// - Parameters:
    ///   - radius: the number of days before and after the shown one that stay in memory.
    ///   - debounce: the time for which a day must be shown before the gateway is asked for it.
    public init(
        api: SightscreenAPI, cache: any MatchCacheStore, clock: any ClientClock, rule: CacheRule = CacheRule(),
        radius: Int = ScheduleWindow.radius, debounce: Duration = .milliseconds(250)
    ) {
        self.api = api
        self.cache = cache
        patience = DiskTimeout(clock: clock)
        self.clock = clock
        self.rule = rule
        self.radius = radius
        self.debounce = debounce
        today = UTCDay(at: clock.now)
        shownDay = today
    }

    public func cached(_ day: UTCDay) -> CachedDay? { cache.schedule(on: day) }

    public func stored(_ day: UTCDay) async -> CachedDay? {
        lookAtTheDay()
        if let entry = cached(day) { return entry }
        let cache = cache
        return await patience.ask { await cache.storedSchedule(on: day) } ?? cached(day)
    }

    public func isFresh(_ entry: CachedDay) -> Bool { rule.isFresh(entry, now: clock.now) }

    public func fetchSchedule(for day: UTCDay) async throws(APIError) -> CachedDay {
        if let entry = await stored(day), isFresh(entry) { return entry }
        if Task.isCancelled { throw .transport(.cancelled) }
        return try await refresh(day)
    }

    public func show(_ day: UTCDay) async throws(APIError) -> CachedDay {
        shows += 1
        let mine = shows
        today = UTCDay(at: clock.now)
        shownDay = day
        cache.slide(to: ScheduleWindow.around(day, radius: radius))
        if let entry = await stored(day), isFresh(entry) { return entry }
        do { try await clock.sleep(for: debounce) } catch { throw .transport(.cancelled) }
        guard mine == shows else { throw .superseded }
        return try await refresh(day)
    }

    public func refresh(_ day: UTCDay) async throws(APIError) -> CachedDay {
        lookAtTheDay()
        let fetch = fetches[day] ?? begin(day)
        return try await fetch.value.get()
    }

    // MARK: -

    /// Moves the window after midnight, or after the phone's clock was set.
    private func lookAtTheDay() {
        let now = UTCDay(at: clock.now)
        guard now != today else { return }
        if shownDay == today { shownDay = now }
        today = now
        // This also removes the day that was in memory only because it was today.
        cache.slide(to: ScheduleWindow.around(shownDay, radius: radius))
    }

    /// Fetches a day in a task of its own. The caller may be cancelled, and the answer is still for other callers and
    /// the cache.
    private func begin(_ day: UTCDay) -> Task<Result<CachedDay, APIError>, Never> {
        let task = Task {
            let result: Result<CachedDay, APIError>
            do throws(APIError) { result = .success(try await ask(day)) } catch { result = .failure(error) }
            fetches[day] = nil
            return result
        }
        fetches[day] = task
        return task
    }

    private func ask(_ day: UTCDay) async throws(APIError) -> CachedDay {
        let known = await stored(day)
        let entry: CachedDay
        switch try await api.matches(on: day, ifNoneMatch: known?.tag) {
        case .unchanged:
            // The request had a tag, so a known answer belongs to it.
            guard var known else { throw .unreadable(status: 304) }
            known.fetchedAt = clock.now
            entry = known
        case .new(let answer, let tag):
            entry = CachedDay(
                day: day, matches: answer.matches, fetchedAt: clock.now, retryAfterMs: answer.retryAfterMs, tag: tag)
        }
        cache.keep(entry)
        return entry
    }
}
