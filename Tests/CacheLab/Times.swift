/// What some repetitions of one thing took.
struct Times {
    private var milliseconds: [Double] = []

    mutating func add(_ duration: Duration, per count: Int = 1) {
        milliseconds.append(duration / .milliseconds(1) / Double(count))
    }

    func percentile(_ percent: Int) -> Double {
        let sorted = milliseconds.sorted()
        return sorted.isEmpty ? 0 : sorted[min(sorted.count - 1, sorted.count * percent / 100)]
    }

    var json: String { #"{"p50Ms":\#(Self.rounded(percentile(50))),"p99Ms":\#(Self.rounded(percentile(99)))}"# }

    /// Four digits that mean something.
    private static func rounded(_ milliseconds: Double) -> Double {
        var scale = 1.0
        while milliseconds > 0, milliseconds * scale < 1_000, scale < 1e9 { scale *= 10 }
        return (milliseconds * scale).rounded() / scale
    }
}
