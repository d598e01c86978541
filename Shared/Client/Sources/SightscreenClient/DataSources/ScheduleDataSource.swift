public import Observation
public import SightscreenModels

/// The schedule of the day that the user has selected. Today is polled. Another day is polled for as long as one of its
/// matches is in play (an evening that goes on past midnight, a Test's second day) or its answer is missing; other days
/// do not change while they are shown.
///
/// A user who looks at today sees the new day after midnight, once the matches in play are over.
@MainActor
@Observable
public final class ScheduleDataSource: DataSource {
    /// The age, in seconds, from which a fetched day counts as not watched, because the phone slept.
    static let watchingSeconds = 3_600

    public private(set) var data: CachedDay?
    public private(set) var isStale = true
    public private(set) var selectedDay: UTCDay

    @ObservationIgnored private let service: any ScheduleService
    @ObservationIgnored private let clock: any ClientClock
    /// Whether the selected day was today when it was selected.
    @ObservationIgnored private var followsToday: Bool
    /// Whether the gateway has not answered since this day was selected.
    @ObservationIgnored private var isMissing = false

    /// - Parameter day: the selected day; nil for today.
    public init(service: any ScheduleService, clock: any ClientClock, day: UTCDay? = nil) {
        self.service = service
        self.clock = clock
        let today = UTCDay(at: clock.now)
        let day = day ?? today
        followsToday = day == today
        selectedDay = day
        data = service.cached(day)
    }

    /// Selects a day: shows its cached matches at once, and the gateway's answer if no other day is selected soon.
    ///
    /// - Throws: `.superseded` when another day is selected.
    public func select(_ day: UTCDay) async throws(APIError) {
        followsToday = day == UTCDay(at: clock.now)
        turn(to: day)
        do throws(APIError) { show(try await service.show(day), of: day, isStale: false) } catch {
            if day == selectedDay, error != .superseded { isMissing = true }
            throw error
        }
    }

    @discardableResult
    public func load() async throws(APIError) -> CachedDay {
        followToday()
        let day = selectedDay
        guard let entry = await service.stored(day) else {
            if Task.isCancelled { throw .transport(.cancelled) }
            return try await refresh()
        }
        show(entry, of: day, isStale: !service.isFresh(entry))
        return entry
    }

    @discardableResult
    public func refresh() async throws(APIError) -> CachedDay {
        followToday()
        let day = selectedDay
        let entry = try await service.refresh(day)
        show(entry, of: day, isStale: false)
        return entry
    }

    public func shouldPoll() -> Bool { followsToday || selectedDay == UTCDay(at: clock.now) || isMissing || isInPlay }

    public var pollIntervalMs: Int { PollInterval.clamped(data?.retryAfterMs) }

    // MARK: -

    private var isInPlay: Bool {
        guard let data, data.day == selectedDay else { return false }
        return data.isInPlay(now: clock.now)
    }

    /// Selects the new day at midnight. A user who watches a match sees its end first.
    private func followToday() {
        let today = UTCDay(at: clock.now)
        guard followsToday, selectedDay != today else { return }
        if isInPlay, let data, clock.now - data.fetchedAt < Self.watchingSeconds { return }
        turn(to: today)
    }

    private func turn(to day: UTCDay) {
        selectedDay = day
        isStale = true
        isMissing = false
        data = service.cached(day)
        // The day on disk is shown as long as the gateway has not answered.
        if data == nil { Task { await showStored(day) } }
    }

    private func showStored(_ day: UTCDay) async {
        guard let entry = await service.stored(day), day == selectedDay, data == nil else { return }
        data = entry
    }

    /// Shows a day, unless the user has selected another one while it was fetched.
    private func show(_ entry: CachedDay, of day: UTCDay, isStale: Bool) {
        guard day == selectedDay else { return }
        if !isStale { isMissing = false }
        if data != entry { data = entry }
        if self.isStale != isStale { self.isStale = isStale }
    }
}
