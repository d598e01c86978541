/// How long to wait before the next attempt to connect: doubling, with jitter, so that a restarted server is not met by
/// everybody at once.
struct RetryDelay: Sendable {
    static let initial: Duration = .milliseconds(50)
    static let maximum: Duration = .seconds(1)

    private var ceiling = Self.initial

    mutating func next() -> Duration {
        let wait = ceiling * Double.random(in: 0.5...1)
        ceiling = min(ceiling * 2, Self.maximum)
        return wait
    }
}
