public import Observation

/// The schedule of the day that the user has selected. Only today is polled: other days do not change while one looks.
@MainActor
@Observable
public final class ScheduleDataSource: DataSource {
    public private(set) var data: CachedDay?
    public private(set) var isStale = true
    public private(set) var selectedDay: MatchDay

    @ObservationIgnored private let service: any ScheduleService
    @ObservationIgnored private let clock: any ClientClock

    /// - Parameter day: today unless given.
    public init(service: any ScheduleService, clock: any ClientClock, day: MatchDay? = nil) {
        self.service = service
        self.clock = clock
        let day = day ?? MatchDay(at: clock.now)
        selectedDay = day
        data = service.cached(day)
    }

    /// Shows what is cached of another day at once, and what the gateway says of it when no other day is selected soon.
    /// - Throws: `.superseded` when one is.
    public func select(_ day: MatchDay) async throws(APIError) {
        selectedDay = day
        isStale = true
        data = service.cached(day)
        show(try await service.show(day), of: day, isStale: false)
    }

    @discardableResult
    public func load() async throws(APIError) -> CachedDay {
        let day = selectedDay
        guard let entry = await service.stored(day) else { return try await refresh() }
        show(entry, of: day, isStale: !service.isFresh(entry))
        return entry
    }

    @discardableResult
    public func refresh() async throws(APIError) -> CachedDay {
        let day = selectedDay
        let entry = try await service.refresh(day)
        show(entry, of: day, isStale: false)
        return entry
    }

    public func shouldPoll() -> Bool { selectedDay == MatchDay(at: clock.now) }

    public var pollIntervalMs: Int { PollInterval.clamped(data?.retryAfterMs) }

    // MARK: -

    /// Unless the user has gone on to another day while it was fetched.
    private func show(_ entry: CachedDay, of day: MatchDay, isStale: Bool) {
        guard day == selectedDay else { return }
        if data != entry { data = entry }
        if self.isStale != isStale { self.isStale = isStale }
    }
}
