/// Whether pushes go to one APNs host. When it is stopped, one push at a time asks whether it works again; all go on as
/// soon as one is taken.
///
/// Times are by `MonotonicTime`.
struct HostBreaker {
    enum Cause: String, CaseIterable, Sendable {
        /// Three in four of the last answers were 5xx, or 429.
        case serverErrors = "server_errors"
        /// It called the provider token expired, or changed too often.
        case providerToken = "provider_token"
        /// It refuses our key, team or topic.
        case refusal

        /// Until the first push that asks.
        fileprivate var waitMin: Int64 {
            switch self {
            case .serverErrors: 500_000_000
            case .providerToken: 5_000_000_000
            case .refusal: 60_000_000_000
            }
        }

        fileprivate var waitMax: Int64 {
            switch self {
            case .serverErrors: 5_000_000_000
            case .providerToken, .refusal: 60_000_000_000
            }
        }
    }

    /// Of the last 128 answers: with half of them a brown-out still brings every other phone its state.
    private static let errorsMax = 96
    /// Longer than that nobody is asked to wait.
    private static let retryAfterMax = 900

    /// Why nothing is sent; nil: everything is.
    private(set) var cause: Cause?
    /// The push that asks, while it is under way.
    private(set) var probe: Int?
    private var probeAt: Int64 = 0
    private var wait: Int64 = 0
    /// The last 128 answers: 1 for each 5xx or 429.
    private var errors: UInt128 = 0

    var isStopped: Bool { cause != nil }

    /// Whether a push may leave now.
    func letsThrough(_ now: Int64) -> Bool { cause == nil || (probe == nil && now >= probeAt) }

    /// A push has left.
    mutating func sent(_ tag: Int) { if cause != nil { probe = tag } }

    /// An answer that says nothing against the host.
    /// - Returns: whether all may go on.
    mutating func answeredWell(_ tag: Int) -> Bool {
        errors <<= 1
        guard let probe, probe == tag else { return false }
        resume()
        return true
    }

    /// A 5xx, or a 429: one phone may be told so, but not most of them.
    /// - Parameter retryAfter: seconds, when it asks for some.
    /// - Returns: whether nothing more is sent from now on.
    mutating func answeredWithError(_ tag: Int, retryAfter: Int?, now: Int64) -> Bool {
        errors = errors << 1 | 1
        if cause != nil {
            if probe == tag { waitOn(retryAfter, now) }
            return false
        }
        guard errors.nonzeroBitCount >= Self.errorsMax else { return false }
        return stop(for: .serverErrors, tag, retryAfter: retryAfter, now: now)
    }

    /// Nothing more is sent for this cause.
    /// - Returns: whether that is news.
    mutating func stop(for cause: Cause, _ tag: Int, retryAfter: Int? = nil, now: Int64) -> Bool {
        if self.cause == cause {
            guard probe == tag else { return false }
            waitOn(retryAfter, now)
            return true
        }
        self.cause = cause
        probe = nil
        wait = cause.waitMin
        probeAt = now + later(retryAfter)
        return true
    }

    /// Nobody knows what became of a push, or it was not looked at.
    mutating func lost(_ tag: Int, now: Int64) {
        guard probe == tag else { return }
        probe = nil
        probeAt = now + later(nil)
    }

    /// What it stopped for is over.
    mutating func resume() {
        cause = nil
        probe = nil
        errors = 0
    }

    private mutating func waitOn(_ retryAfter: Int?, _ now: Int64) {
        probe = nil
        wait = min(wait * 2, cause?.waitMax ?? wait)
        probeAt = now + later(retryAfter)
    }

    /// A part of it random: loops and processes do not ask together.
    private func later(_ retryAfter: Int?) -> Int64 {
        let asked = Int64(min(retryAfter ?? 0, Self.retryAfterMax)) * 1_000_000_000
        return max(asked, wait * 3 / 4 + Int64.random(in: 0...wait / 4))
    }
}
