import Metrics

/// Metrics of the connections.
struct ServerMetrics: Sendable {
    private let connections = Gauge(label: "sightscreen_http_connections")
    /// A counter for each reason, made at the start so that all of them are exported.
    private let refused: [Refusal: Counter]

    init() {
        refused = Dictionary(
            uniqueKeysWithValues: Refusal.allCases.map {
                ($0, Counter(label: "sightscreen_http_refused_total", dimensions: [("reason", $0.rawValue)]))
            })
    }

    func open(_ count: Int) { connections.record(count) }

    func refused(_ refusal: Refusal) { refused[refusal]?.increment() }
}
