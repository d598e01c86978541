import Reactor

/// Decides when to poll next, by the outcome of the last poll. The schedule is kept however long a call takes, and
/// while a match is live also after a failure: then only the circuit breaker spares the provider. While no match is
/// live, a failure adds a random wait that may double with each further one, so that groups and replicas which failed
/// together do not come back together.
struct NextPoll: Sendable {
    enum Outcome: Sendable, Equatable {
        case answered
        /// A 5xx, a time-out, nothing usable, or an unreachable database.
        case failed
        /// The allowance is used up, by this system's count or by the provider's answer.
        case overBudget(wait: Duration)
        /// The circuit breaker lets no call through before `until`.
        case skipped(until: ContinuousClock.Instant)
    }

    static let longestBackoff = Duration.seconds(30)
    /// The longest wait for an allowance, which may be raised or come back early; asking costs only a query.
    static let longestBudgetWait = Duration.seconds(60)

    private var backoff: Backoff

    /// - Parameter usual: the schedule's usual interval, the longest wait of a first failure.
    init(usual: Duration) { backoff = Backoff(initial: usual, maximum: max(usual, Self.longestBackoff)) }

    /// - Parameters:
    ///   - began: the start of the last poll.
    ///   - now: the end of the last poll.
    ///   - interval: the interval by schedule and allowance.
    ///   - isLive: whether a match is live, or may be.
    mutating func after(
        _ outcome: Outcome, began: ContinuousClock.Instant, now: ContinuousClock.Instant, interval: Duration,
        isLive: Bool, using random: inout some RandomNumberGenerator
    ) -> ContinuousClock.Instant {
        // A slow answer does not make polls rarer, but some pause always remains.
        let scheduled = max(began + interval, now + .milliseconds(20))
        switch outcome {
        case .answered:
            backoff.reset()
            return scheduled
        case .failed: return isLive ? scheduled : max(scheduled, now + backoff.next(using: &random))
        case .overBudget(let wait): return max(scheduled, now + min(wait, Self.longestBudgetWait))
        // The call that failed was at least an interval ago.
        case .skipped(let until): return max(until, now)
        }
    }
}
