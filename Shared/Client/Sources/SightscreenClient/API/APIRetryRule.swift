/// Whether a call that failed is repeated at once, while its caller waits. What takes longer is the outboxes' matter.
///
/// Every write of the API says what should be and may be repeated.
public struct APIRetryRule: Hashable, Sendable {
    public var attemptsMax: Int
    /// Nobody waits longer than this for a single repetition.
    public var waitMax: Duration

    public init(attemptsMax: Int = 3, waitMax: Duration = .seconds(10)) {
        self.attemptsMax = attemptsMax
        self.waitMax = waitMax
    }

    public static let never = Self(attemptsMax: 1)

    /// - Parameters:
    ///   - attempt: the one that failed, from 1.
    ///   - jitter: 0 to 1, so that phones that failed together do not come back together.
    /// - Returns: how long to wait before the next attempt; nil: give up.
    public func wait(after error: APIError, attempt: Int, jitter: Double) -> Duration? {
        guard attempt < attemptsMax, error.passes else { return nil }
        switch error {
        // Nothing was sent and nothing changes within seconds.
        case .transport(.offline), .transport(.cancelled), .signedOut: return nil
        default: break
        }
        if let asked = error.retryAfter {
            // Not earlier than asked: too early counts as one call more.
            return asked <= waitMax ? asked + .milliseconds(Int(jitter * 500)) : nil
        }
        let backOff = Duration.milliseconds(500 << min(attempt - 1, 4))
        return backOff / 2 + backOff / 2 * jitter
    }
}
