/// The newest measurements of the time from ball to Lock Screen, as a distribution.
struct LatencyWindow: Sendable {
    /// Measurements that are kept: ten balls on 200 phones.
    static let samplesMax = 2_000
    /// Upper edges of the buckets in milliseconds; one more bucket has the longer times.
    static let edges = [200, 400, 700, 1_000, 2_000, 4_000, 8_000]

    private var samples: [Int] = []
    private var oldest = 0

    mutating func add(_ ms: Int) {
        if samples.count < Self.samplesMax {
            samples.append(ms)
        } else {
            samples[oldest] = ms
            oldest = (oldest + 1) % Self.samplesMax
        }
    }

    mutating func removeAll() {
        samples = []
        oldest = 0
    }

    var summary: LabLatency {
        var counts = [Int](repeating: 0, count: Self.edges.count + 1)
        for ms in samples { counts[Self.edges.firstIndex { ms <= $0 } ?? Self.edges.count] += 1 }
        let buckets = zip(Self.edges.map(Optional.some) + [nil], counts).map { LabLatency.Bucket(ms: $0, count: $1) }
        guard !samples.isEmpty else { return LabLatency(buckets: buckets) }
        let sorted = samples.sorted()
        return LabLatency(
            count: sorted.count, p50Ms: Self.rank(sorted, 50), p95Ms: Self.rank(sorted, 95), maxMs: sorted.last,
            buckets: buckets)
    }

    /// The smallest value that at least `percent` percent of the values do not exceed.
    private static func rank(_ sorted: [Int], _ percent: Int) -> Int {
        sorted[max((sorted.count * percent + 99) / 100, 1) - 1]
    }
}
