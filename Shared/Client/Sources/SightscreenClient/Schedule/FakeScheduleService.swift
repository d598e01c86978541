public import Observation
public import SightscreenModels

/// A `ScheduleService` with canned days, for previews and tests of views.
@MainActor
@Observable
public final class FakeScheduleService: ScheduleService {
    public private(set) var shownDay: UTCDay
    private var days: [UTCDay: CachedDay]
    private var refusal: APIError?
    /// The number of fetches so far.
    public private(set) var fetchCount = 0

    /// - Parameters:
    ///   - days: the canned days.
    ///   - shownDay: the shown day; nil for the first of the days.
    public init(_ days: [CachedDay] = [], shownDay: UTCDay? = nil) {
        self.days = Dictionary(days.map { ($0.day, $0) }) { $1 }
        self.shownDay = shownDay ?? days.map(\.day).min() ?? UTCDay(number: 0)
    }

    /// Sets the error that every fetch throws from now on; nil for none.
    public func refuse(_ error: APIError?) { refusal = error }

    /// Sets a day that fetches return from now on.
    public func set(_ day: CachedDay) { days[day.day] = day }

    public func cached(_ day: UTCDay) -> CachedDay? { days[day] }
    public func stored(_ day: UTCDay) -> CachedDay? { days[day] }
    public func isFresh(_ entry: CachedDay) -> Bool { true }
    public func fetchSchedule(for day: UTCDay) throws(APIError) -> CachedDay { try refresh(day) }

    public func show(_ day: UTCDay) throws(APIError) -> CachedDay {
        shownDay = day
        return try refresh(day)
    }

    public func refresh(_ day: UTCDay) throws(APIError) -> CachedDay {
        fetchCount += 1
        if let refusal { throw refusal }
        return days[day] ?? CachedDay(day: day, matches: [], fetchedAt: day.startsAt)
    }
}
