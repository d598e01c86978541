import Reactor

/// When to poll next, by what came of the last poll. The schedule is kept whatever a call takes, and while a match is live
/// also after a failure: the circuit breaker alone spares the provider then. Without one a failure adds a random wait that may
/// double with each that follows, so that groups and replicas which failed together do not come back together.
struct NextPoll: Sendable {
    enum Outcome: Sendable, Equatable {
        case answered
        /// 5xx, a time-out, nothing usable, or the database away.
        case failed
        /// By our own count or the provider's word.
        case overBudget(wait: Duration)
        /// The circuit breaker lets no call through before this.
        case spared(until: ContinuousClock.Instant)
    }

    static let longestBackoff = Duration.seconds(30)
    /// An allowance may be raised or come back early: it costs only a query to ask.
    static let longestBudgetWait = Duration.seconds(60)

    private var backoff: Backoff

    /// - Parameter usual: the schedule's usual interval, the longest wait of a first failure.
    init(usual: Duration) { backoff = Backoff(initial: usual, maximum: max(usual, Self.longestBackoff)) }

    /// - Parameters:
    ///   - began: when the last poll began.
    ///   - now: when it was over.
    ///   - interval: what schedule and allowance want.
    ///   - isLive: whether a match is live, or may be.
    mutating func after(
        _ outcome: Outcome, began: ContinuousClock.Instant, now: ContinuousClock.Instant, interval: Duration,
        isLive: Bool, using random: inout some RandomNumberGenerator
    ) -> ContinuousClock.Instant {
        // A slow answer does not make polls rarer, and never leaves no pause at all.
        let scheduled = max(began + interval, now + .milliseconds(20))
        switch outcome {
        case .answered:
            backoff.reset()
            return scheduled
        case .failed: return isLive ? scheduled : max(scheduled, now + backoff.next(using: &random))
        case .overBudget(let wait): return max(scheduled, now + min(wait, Self.longestBudgetWait))
        // The call that failed was an interval ago at least.
        case .spared(let until): return max(until, now)
        }
    }
}
