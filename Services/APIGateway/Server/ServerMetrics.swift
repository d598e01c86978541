import Metrics

/// What an operator asks about connections.
struct ServerMetrics: Sendable {
    private let connections = Gauge(label: "sightscreen_http_connections")
    /// One for each reason, so that all of them show from the start.
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
