/// Decides whether a failed call is repeated at once, while its caller waits. Failures that last longer are repeated by
/// the outboxes.
///
/// Every write of the API states what should be, so it may be repeated.
public struct APIRetryRule: Hashable, Sendable {
    public var attemptsMax: Int
    /// The longest wait before one repetition.
    public var waitMax: Duration

    public init(attemptsMax: Int = 3, waitMax: Duration = .seconds(10)) {
        self.attemptsMax = attemptsMax
        self.waitMax = waitMax
    }

    public static let never = Self(attemptsMax: 1)

    /// - Parameters:
    ///   - attempt: the number of the failed attempt, from 1.
    ///   - jitter: a random number from 0 to 1, so that phones that failed together do not call again together.
    /// - Returns: the wait before the next attempt; nil to give up.
    public func wait(after error: APIError, attempt: Int, jitter: Double) -> Duration? {
        guard attempt < attemptsMax, error.passes else { return nil }
        switch error {
        // The request was not sent, and that does not change within seconds.
        case .transport(.offline), .transport(.cancelled), .signedOut: return nil
        default: break
        }
        if let asked = error.retryAfter {
            // The wait is never shorter than asked, because a call that comes too early counts as one more call.
            return asked <= waitMax ? asked + .milliseconds(Int(jitter * 500)) : nil
        }
        let backOff = Duration.milliseconds(500 << min(attempt - 1, 4))
        return backOff / 2 + backOff / 2 * jitter
    }
}
