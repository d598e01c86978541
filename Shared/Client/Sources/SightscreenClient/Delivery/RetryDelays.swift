/// The waits between attempts in the background: 1 s, doubling to a minute.
public struct RetryDelays: Hashable, Sendable {
    public var first: Duration
    public var longest: Duration

    public init(first: Duration = .seconds(1), longest: Duration = .seconds(60)) {
        self.first = first
        self.longest = longest
    }

    /// - Parameters:
    ///   - failures: the number of failures in a row, from 1.
    ///   - asked: the shortest wait that the other side asks for.
    ///   - jitter: a random number from 0 to 1.
    public func delay(failures: Int, asked: Duration?, jitter: Double) -> Duration {
        let backOff = min(first * (1 << min(max(failures, 1) - 1, 16)), longest)
        return max(backOff / 2 + backOff / 2 * jitter, asked ?? .zero)
    }
}
