public import Observation
public import SightscreenModels

/// A dictionary by day in front of `MatchDiskCacheWrapper`. The third layer, the gateway, belongs to `ScheduleService`.
@MainActor
@Observable
public final class RealMatchCacheStore: MatchCacheStore {
    /// The shortest time between two writes of a day with matches in play, in seconds. Such a day changes with every
    /// ball, and its file is only for the next launch.
    static let liveDiskSeconds = 60
    /// The longest time that a launch waits for the disk. Days that come later are used when they come.
    static let hydrationLimit = Duration.seconds(2)
    /// The most days that wait for a stalled disk. The newest ones are kept.
    static let unwrittenMax = MatchDiskCacheWrapper.limits.files

    private var days: [UTCDay: CachedDay] = [:]
    public private(set) var live: CachedLive?
    public private(set) var window: ClosedRange<UTCDay>

    @ObservationIgnored private let disk: MatchDiskCacheWrapper
    @ObservationIgnored private let clock: any ClientClock
    /// The day of each match.
    @ObservationIgnored private var places: [MatchID: UTCDay] = [:]
    /// The days that are not on disk yet, with the newest state of each.
    @ObservationIgnored private var unwritten: [UTCDay: CachedDay] = [:]
    @ObservationIgnored private var writer: Task<Void, Never>?
    /// The reads under way. Callers that ask for the same day at the same time share one read.
    @ObservationIgnored private var reads: [UTCDay: Task<CachedDay?, Never>] = [:]
    /// Counts the removals of everything. A read that began before a removal is ignored after it.
    @ObservationIgnored private var epoch = 0
    /// The time of the last write of each day in memory with matches in play.
    @ObservationIgnored private var writtenAt: [UTCDay: Int] = [:]

    /// - Parameter radius: the number of days before and after today that are in memory at first.
    public init(disk: MatchDiskCacheWrapper, clock: any ClientClock, radius: Int = ScheduleWindow.radius) {
        self.disk = disk
        self.clock = clock
        window = ScheduleWindow.around(UTCDay(at: clock.now), radius: radius)
    }

    public func schedule(on day: UTCDay) -> CachedDay? { days[day] }

    public func match(_ id: MatchID) -> MatchItem? { places[id].flatMap { days[$0]?.match(id) } }

    public func storedSchedule(on day: UTCDay) async -> CachedDay? {
        // A day that waits to be written is newer than the one on disk.
        if let entry = days[day] ?? unwritten[day] { return entry }
        return await (reads[day] ?? read(day)).value
    }

    public func keep(_ entry: CachedDay) {
        remember(entry)
        if entry.hasLiveMatches, let last = writtenAt[entry.day],
            (0..<Self.liveDiskSeconds).contains(entry.fetchedAt - last)
        {
            return
        }
        writtenAt[entry.day] = entry.hasLiveMatches ? entry.fetchedAt : nil
        unwritten[entry.day] = entry
        if unwritten.count > Self.unwrittenMax, let oldest = unwritten.values.min(by: { $0.fetchedAt < $1.fetchedAt }) {
            unwritten[oldest.day] = nil
        }
        write()
    }

    public func keep(_ live: CachedLive) { self.live = live }

    public func slide(to window: ClosedRange<UTCDay>) {
        self.window = window
        for day in days.keys where !isRemembered(day) { forget(day) }
    }

    public func loadFromDisk() async {
        let today = UTCDay(at: clock.now)
        let wanted = (window.lowerBound.number...window.upperBound.number).map { UTCDay(number: $0) }
            .sorted { ($0.distance(to: today), $0) < ($1.distance(to: today), $1) }
        // Today is read first. A day that has come from the gateway meanwhile is newer, and stays.
        _ = await finished(within: Self.hydrationLimit, clock) {
            for day in wanted { _ = await self.storedSchedule(on: day) }
        }
    }

    public func flush() async {
        while let writer { await writer.value }
    }

    public func removeAll() async {
        epoch += 1
        for day in days.keys { forget(day) }
        live = nil
        reads = [:]
        unwritten = [:]
        writtenAt = [:]
        await flush()
        await disk.removeAll()
    }

    // MARK: -

    private func isRemembered(_ day: UTCDay) -> Bool { window.contains(day) || day == UTCDay(at: clock.now) }

    private func remember(_ entry: CachedDay) {
        guard isRemembered(entry.day) else { return }
        forgetPlaces(entry.day)
        days[entry.day] = entry
        for match in entry.matches { places[match.id] = entry.day }
    }

    private func forget(_ day: UTCDay) {
        forgetPlaces(day)
        days[day] = nil
        writtenAt[day] = nil
    }

    private func forgetPlaces(_ day: UTCDay) {
        for match in days[day]?.matches ?? [] where places[match.id] == day { places[match.id] = nil }
    }

    private func read(_ day: UTCDay) -> Task<CachedDay?, Never> {
        let begun = epoch
        let task = Task { () -> CachedDay? in
            let found = await disk.day(day)
            guard epoch == begun else { return days[day] }
            reads[day] = nil
            // A newer state may have come while the disk was read.
            if let newer = days[day] ?? unwritten[day] { return newer }
            if let found { remember(found) }
            return found
        }
        reads[day] = task
        return task
    }

    /// Writes the waiting days. There is one writer at a time, so a day's older state is never written after its newer
    /// one.
    private func write() {
        guard writer == nil else { return }
        writer = Task {
            while let (day, entry) = unwritten.first {
                await disk.keep(entry)
                if unwritten[day] == entry { unwritten[day] = nil }
            }
            writer = nil
        }
    }
}
