/// The circuit breaker of one APNs host. While the host is stopped, one push at a time probes it; all pushes go on as
/// soon as one is accepted.
///
/// Times are by `MonotonicTime`.
struct HostBreaker {
    enum Cause: String, CaseIterable, Sendable {
        /// Three in four of the last answers were 5xx or 429.
        case serverErrors = "server_errors"
        /// The host called the provider token expired, or changed too often.
        case providerToken = "provider_token"
        /// The host refuses our key, team or topic.
        case refusal
        /// The host calls proven tokens not for our topic.
        case topic

        /// Nanoseconds until the first probe.
        fileprivate var waitMin: Int64 {
            switch self {
            case .serverErrors: 500_000_000
            case .providerToken, .topic: 5_000_000_000
            case .refusal: 60_000_000_000
            }
        }

        fileprivate var waitMax: Int64 {
            switch self {
            case .serverErrors: 5_000_000_000
            case .providerToken, .refusal, .topic: 60_000_000_000
            }
        }
    }

    /// Errors among the last 128 answers that stop the host. A brown-out with half of them still brings every other
    /// phone its state.
    private static let errorsMax = 96
    /// The longest `retry-after` that is obeyed, in seconds.
    private static let retryAfterMax = 900
    /// Nanoseconds until another push probes the host, after one that said nothing about it.
    private static let inconclusiveWait: Int64 = 1_000_000_000

    /// Why the host is stopped; nil while it is not.
    private(set) var cause: Cause?
    /// The tag of the probe in flight.
    private(set) var probe: Int?
    private var probeAt: Int64 = 0
    private var wait: Int64 = 0
    /// The last 128 answers: 1 for each 5xx or 429.
    private var errors: UInt128 = 0

    var isStopped: Bool { cause != nil }

    /// Whether a push may leave now.
    func allowsPush(_ now: Int64) -> Bool { cause == nil || (probe == nil && now >= probeAt) }

    /// Notes a push that has left; while the host is stopped it is the probe.
    mutating func sent(_ tag: Int) { if cause != nil { probe = tag } }

    /// Notes an answer that says nothing against the host.
    /// - Parameter isAccepted: the push was accepted. Only that says that the topic is right.
    /// - Returns: whether it ends the stop.
    mutating func noteSuccess(_ tag: Int, isAccepted: Bool, now: Int64) -> Bool {
        errors <<= 1
        guard let probe, probe == tag else { return false }
        guard isAccepted || cause != .topic else {
            postpone(now)
            return false
        }
        resume()
        return true
    }

    /// Delays the probe, because the last one said nothing or there is no push that could be one.
    mutating func postpone(_ now: Int64) {
        probe = nil
        probeAt = now + Self.inconclusiveWait
    }

    /// Notes a 5xx or a 429. Single phones may get a 429, but not most of them.
    /// - Parameter retryAfter: the seconds that the answer asks for, if any.
    /// - Returns: whether it stops the host.
    @discardableResult
    mutating func noteError(_ tag: Int, retryAfter: Int?, now: Int64) -> Bool {
        errors = errors << 1 | 1
        if cause != nil {
            if probe == tag { extendWait(retryAfter, now) }
            return false
        }
        guard errors.nonzeroBitCount >= Self.errorsMax else { return false }
        return stop(for: .serverErrors, tag, retryAfter: retryAfter, now: now)
    }

    /// Stops the host for this cause, or extends the stop if the probe failed for the same cause.
    /// - Returns: whether the stop is new or was extended.
    mutating func stop(for cause: Cause, _ tag: Int, retryAfter: Int? = nil, now: Int64) -> Bool {
        if self.cause == cause {
            guard probe == tag else { return false }
            extendWait(retryAfter, now)
            return true
        }
        self.cause = cause
        probe = nil
        wait = cause.waitMin
        probeAt = now + later(retryAfter)
        return true
    }
    /// Notes a push whose outcome is unknown or which was not processed. If it was the probe, another probe follows.
    mutating func lost(_ tag: Int, now: Int64) {
        guard probe == tag else { return }
        probe = nil
        probeAt = now + later(nil)
    }
    /// Ends the stop, because its cause is over.
    mutating func resume() {
        cause = nil
        probe = nil
        errors = 0
    }

    private mutating func extendWait(_ retryAfter: Int?, _ now: Int64) {
        probe = nil
        wait = min(wait * 2, cause?.waitMax ?? wait)
        probeAt = now + later(retryAfter)
    }

    /// The time until the next probe. A quarter of it is random, so that loops and processes do not probe together.
    private func later(_ retryAfter: Int?) -> Int64 {
        let asked = Int64(min(retryAfter ?? 0, Self.retryAfterMax)) * 1_000_000_000
        return max(asked, wait * 3 / 4 + Int64.random(in: 0...wait / 4))
    }
}
