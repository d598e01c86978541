public import Observation

/// Keeps a data source's data current while a view shows it and the app is in the foreground: first cached data, then a
/// fetch if that is stale, then a fetch after each interval for as long as the source should be polled.
///
/// A poller never has two fetches at the same time. After failures the wait grows up to a minute, or longer if the
/// interval is longer or the gateway asks for it.
@MainActor
@Observable
public final class DataPoller<Source: DataSource> {
    /// The longest wait for a visible view, however long the gateway asks for.
    private static var askedMax: Duration { .seconds(600) }

    /// What a view says besides the data.
    public enum Notice: Hashable, Sendable {
        /// The data is the newest that could be asked for.
        case nothing
        /// There is no data yet.
        case loading
        /// There is no data, and the last fetch failed.
        case failed(APIError)
        /// The data is older than it should be, because the last fetch failed.
        case outdated(APIError)
    }

    public private(set) var source: Source
    /// Whether a fetch is under way.
    public private(set) var isLoading = false
    /// The reason why there is no newer data; nil after a success.
    public private(set) var lastError: APIError?

    public var notice: Notice {
        switch (source.data == nil, lastError) {
        case (true, let error?): .failed(error)
        case (true, nil): .loading
        case (false, let error?): .outdated(error)
        case (false, nil): .nothing
        }
    }

    @ObservationIgnored private let clock: any ClientClock
    @ObservationIgnored private let delays: RetryDelays
    @ObservationIgnored private let jitter: @Sendable () -> Double
    @ObservationIgnored private var isVisible = false
    @ObservationIgnored private var isInFront = true
    @ObservationIgnored private var loop: Task<Void, Never>?

    /// - Parameter jitter: returns a random number from 0 to 1, so that phones that failed together do not call again
    ///   together.
    public init(
        _ source: Source, clock: any ClientClock = SystemClientClock(),
        delays: RetryDelays = RetryDelays(first: .seconds(2), longest: .seconds(60)),
        jitter: @escaping @Sendable () -> Double = { Double.random(in: 0...1) }
    ) {
        self.source = source
        self.clock = clock
        self.delays = delays
        self.jitter = jitter
    }

    public func appear() {
        isVisible = true
        changed()
    }

    public func disappear() {
        isVisible = false
        changed()
    }

    public func enterForeground() {
        isInFront = true
        changed()
    }

    public func enterBackground() {
        isInFront = false
        changed()
    }

    public var isRunning: Bool { isVisible && isInFront }

    /// Keeps another source current from now on. A fetch of the former one that is under way has no effect here.
    public func use(_ source: Source) {
        guard source !== self.source else { return }
        self.source = source
        lastError = nil
        // The loop begins anew.
        loop?.cancel()
    }

    /// Fetches at once instead of after the wait, when the user asks for it.
    public func retry() { loop?.cancel() }

    // MARK: -

    private func changed() {
        guard isRunning else {
            loop?.cancel()
            return
        }
        // A cancelled loop that still waits for an answer begins anew when it has it.
        if loop == nil { begin() }
    }

    private func begin() {
        loop = Task {
            await run()
            loop = nil
            if isRunning { begin() }
        }
    }

    private func run() async {
        var failures = await attempt(first: true) ? 0 : 1
        while !Task.isCancelled {
            do { try await clock.sleep(for: pause(after: failures)) } catch { return }
            guard failures > 0 || source.shouldPoll() else { continue }
            failures = await attempt(first: false) ? 0 : failures + 1
        }
    }

    /// - Returns: whether the fetch succeeded.
    private func attempt(first: Bool) async -> Bool {
        let source = source
        isLoading = true
        defer { isLoading = false }
        do {
            if first { try await source.load() }
            if !first || source.isStale, !Task.isCancelled { try await source.refresh() }
            if lastError != nil, source === self.source { lastError = nil }
            return true
        } catch {
            // A view that disappears, or a day that is no longer selected, is no failure.
            switch error {
            case .transport(.cancelled), .superseded: break
            default: if lastError != error, source === self.source { lastError = error }
            }
            return false
        }
    }

    private func pause(after failures: Int) -> Duration {
        let interval = Duration.milliseconds(PollInterval.clamped(source.pollIntervalMs))
        guard failures > 0 else { return interval }
        let asked = min(lastError?.retryAfter ?? .zero, Self.askedMax)
        return max(interval, delays.delay(failures: failures, asked: asked, jitter: jitter()))
    }
}
