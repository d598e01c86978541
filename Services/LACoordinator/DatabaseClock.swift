/// The database's clock, carried on by our monotonic one between two readings.
struct DatabaseClock: Sendable {
    private let reading: Double
    private let at: ContinuousClock.Instant

    init(reading: Double) {
        self.reading = reading
        at = .now
    }

    /// Seconds since 1970.
    var now: Double { reading + (ContinuousClock.now - at) / .seconds(1) }
    var seconds: Int { Int(now) }
}
