/// Measures how fast counts grew over the last seconds.
struct RateMeter: Sendable {
    private let window: Double
    private var samples: [String: [(at: Double, value: Double)]] = [:]

    /// - Parameter window: the seconds over which growth is measured.
    init(window: Double = 5) { self.window = window }

    /// - Parameters:
    ///   - key: the name of the count.
    ///   - now: the seconds of any clock that does not go back.
    /// - Returns: the growth per second; nil until two values are known.
    mutating func rate(of key: String, _ value: Double, at now: Double) -> Double? {
        growth(of: key, value, at: now).map { $0.value / $0.seconds }
    }

    /// - Returns: the growth in the window, or since the first value; nil until two values are known.
    mutating func growth(of key: String, _ value: Double, at now: Double) -> (value: Double, seconds: Double)? {
        var known = samples[key] ?? []
        // A restarted process counts from 0.
        if let last = known.last, value < last.value { known = [] }
        known.append((now, value))
        while known.count > 2, known[1].at <= now - window { known.removeFirst() }
        samples[key] = known
        guard let first = known.first, now > first.at else { return nil }
        return (value - first.value, now - first.at)
    }
}
