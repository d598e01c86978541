public import Observation
public import SightscreenModels

/// All matches in play. The gateway's `retryAfterMs` is the interval: 30 s when no match is on, 5 s in play, 2 s in a
/// close finish.
@MainActor
@Observable
public final class LiveMatchesDataSource: DataSource {
    public private(set) var data: [MatchItem]?
    public private(set) var isStale = true
    public private(set) var pollIntervalMs = PollInterval.unknownMs

    @ObservationIgnored private let api: SightscreenAPI
    @ObservationIgnored private let cache: any MatchCacheStore
    @ObservationIgnored private let clock: any ClientClock
    @ObservationIgnored private var fetch: Task<Result<CachedLive, APIError>, Never>?

    public init(api: SightscreenAPI, cache: any MatchCacheStore, clock: any ClientClock) {
        self.api = api
        self.cache = cache
        self.clock = clock
    }

    @discardableResult
    public func load() async throws(APIError) -> [MatchItem] {
        guard let live = cache.live else { return try await refresh() }
        show(live, isStale: true)
        return live.matches
    }

    @discardableResult
    public func refresh() async throws(APIError) -> [MatchItem] {
        let live = try await (fetch ?? begin()).value.get()
        show(live, isStale: false)
        return live.matches
    }

    /// Always true. Polling goes on while no match is in play, because only so is a beginning match noticed. The
    /// gateway's interval is long then.
    public func shouldPoll() -> Bool { true }

    // MARK: -

    private func show(_ live: CachedLive, isStale: Bool) {
        // A property is set only when it changes, so that views are not redrawn for nothing.
        if data != live.matches { data = live.matches }
        if self.isStale != isStale { self.isStale = isStale }
        let interval = PollInterval.clamped(live.retryAfterMs)
        if pollIntervalMs != interval { pollIntervalMs = interval }
    }

    private func begin() -> Task<Result<CachedLive, APIError>, Never> {
        let task = Task {
            let result: Result<CachedLive, APIError>
            do throws(APIError) { result = .success(try await ask()) } catch { result = .failure(error) }
            fetch = nil
            return result
        }
        fetch = task
        return task
    }

    private func ask() async throws(APIError) -> CachedLive {
        let known = cache.live
        let live: CachedLive
        switch try await api.liveMatches(ifNoneMatch: known?.tag) {
        case .unchanged:
            guard var known else { throw .unreadable(status: 304) }
            known.fetchedAt = clock.now
            live = known
        case .new(let answer, let tag):
            live = CachedLive(
                matches: answer.matches, fetchedAt: clock.now, retryAfterMs: answer.retryAfterMs, tag: tag)
        }
        cache.keep(live)
        return live
    }
}
