/// The counters and gauges of a service's `/metrics`.
struct MetricsText: Sendable {
    private struct Series: Sendable {
        var labels: Substring
        var value: Double
    }

    private var series: [Substring: [Series]] = [:]

    /// - Parameter text: Prometheus' text format. Lines that are not understood are skipped.
    init(_ text: String) {
        for line in text.split(separator: "\n") where line.first != "#" {
            guard let space = line.lastIndex(of: " "), let value = Double(line[line.index(after: space)...]) else {
                continue
            }
            let name = line.prefix { $0 != "{" && $0 != " " }
            let labels = line[name.endIndex..<space]
            series[name, default: []].append(Series(labels: labels, value: value))
        }
    }

    /// The sum of all series of a name; nil when there is none.
    ///
    /// - Parameter label: the label that a series must have, written like `outcome="accepted"`; nil for all.
    func sum(_ name: String, with label: String? = nil) -> Double? {
        guard let all = series[name[...]] else { return nil }
        let wanted = if let label { all.filter { $0.labels.contains(label) } } else { all }
        return wanted.reduce(0) { $0 + $1.value }
    }
}
