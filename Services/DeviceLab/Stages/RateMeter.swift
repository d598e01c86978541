/// Measures how fast counts grew over the last seconds.
struct RateMeter: Sendable {
    static let window = 5.0

    private var samples: [String: [(at: Double, value: Double)]] = [:]

    /// - Parameters:
    ///   - key: the name of the count.
    ///   - now: the seconds of any clock that does not go back.
    /// - Returns: the growth per second; nil until two values are known.
    mutating func rate(of key: String, _ value: Double, at now: Double) -> Double? {
        var known = samples[key] ?? []
        // A restarted process counts from 0.
        if let last = known.last, value < last.value { known = [] }
        known.append((now, value))
        while known.count > 2, known[1].at <= now - Self.window { known.removeFirst() }
        samples[key] = known
        guard let first = known.first, now > first.at else { return nil }
        return (value - first.value) / (now - first.at)
    }
}
