/// Waits between tries: each is a part of a bound that doubles, by default a random part between none and all of it
/// ("full jitter"), so that callers which failed together do not come back together.
public struct Backoff: Sendable {
    private let initial: Duration
    private let maximum: Duration
    private let part: ClosedRange<Double>
    private var bound: Duration

    /// - Parameters:
    ///   - initial: the longest first wait.
    ///   - maximum: the longest wait of all.
    ///   - part: the range of the part of the bound that is waited; `1...1` leaves nothing to chance.
    public init(
        initial: Duration = .milliseconds(50), maximum: Duration = .seconds(2), part: ClosedRange<Double> = 0...1
    ) {
        precondition(initial > .zero && maximum >= initial, "a backoff grows from a positive wait")
        precondition(part.lowerBound >= 0 && part.upperBound <= 1, "a part of a wait is between none and all of it")
        self.initial = initial
        self.maximum = maximum
        self.part = part
        bound = initial
    }

    /// Returns the next wait, and doubles the bound.
    public mutating func next() -> Duration {
        var generator = SystemRandomNumberGenerator()
        return next(using: &generator)
    }

    public mutating func next(using generator: inout some RandomNumberGenerator) -> Duration {
        let wait = bound * Double.random(in: part, using: &generator)
        bound = min(bound * 2, maximum)
        return wait
    }

    /// Resets the bound after a success: the next failure starts from the beginning.
    public mutating func reset() { bound = initial }
}
