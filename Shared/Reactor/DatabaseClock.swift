/// The database's clock, advanced by our monotonic clock between two readings.
public struct DatabaseClock: Sendable {
    private let readingMs: Double
    private let readAt = ContinuousClock.now

    /// - Parameter seconds: the database's time just read, in seconds since 1970.
    public init(seconds: Double) { readingMs = seconds * 1_000 }
    public init(milliseconds: Int64) { readingMs = Double(milliseconds) }

    /// The time since the reading.
    public var age: Duration { .now - readAt }

    /// Milliseconds since 1970; `now` and `seconds` are in seconds.
    public var milliseconds: Int64 { Int64(readingMs + age / .milliseconds(1)) }
    public var now: Double { readingMs / 1_000 + age / .seconds(1) }
    public var seconds: Int { Int(now) }
}
