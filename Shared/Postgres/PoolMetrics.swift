import Metrics

/// Metrics of connections and queries, summed over all pools of the process.
struct PoolMetrics: Sendable {
    /// The connections by their present use.
    private let shared = Meter(label: "sightscreen_database_connections", dimensions: [("state", "shared")])
    private let leased = Meter(label: "sightscreen_database_connections", dimensions: [("state", "leased")])
    private let opening = Meter(label: "sightscreen_database_connections", dimensions: [("state", "opening")])
    private let waiting = Meter(label: "sightscreen_database_waiting")
    private let wait = Timer(label: "sightscreen_database_wait_seconds")
    private let query = Timer(label: "sightscreen_database_query_seconds")
    private let failures = Dictionary(
        uniqueKeysWithValues: PostgresError.labels.map {
            ($0, Counter(label: "sightscreen_database_failures_total", dimensions: [("code", $0)]))
        })

    struct Connections: Equatable {
        var shared = 0
        var leased = 0
        var opening = 0
    }

    init() {
        // The series are exported before the first connection, and at 0 before the first failure: an alert on their growth
        // sees the first one, too.
        moved(from: Connections(), to: Connections())
        waiting.increment(by: 0)
        for counter in failures.values { counter.increment(by: 0) }
    }

    func moved(from before: Connections, to now: Connections) {
        shared.increment(by: Double(now.shared - before.shared))
        leased.increment(by: Double(now.leased - before.leased))
        opening.increment(by: Double(now.opening - before.opening))
    }

    func waiters(from before: Int, to now: Int) { waiting.increment(by: Double(now - before)) }
    func waited(since begun: ContinuousClock.Instant) { wait.record(duration: .now - begun) }

    /// Records the time from sending a query to its answer or failure.
    func answered(since begun: ContinuousClock.Instant) { query.record(duration: .now - begun) }

    func failed(_ error: any Error) {
        guard let error = error as? PostgresError else { return }
        failures[error.label]?.increment()
    }
}

extension PostgresError {
    /// All labels of failures: a label's values come from a fixed set, so a SQLSTATE is none.
    static let labels =
        [
            "unavailable", "configuration", "deadline", "constraint", "serialization", "server", "decoding",
            "outcomeUnknown", "notDurable",
        ] + Set(SQLStateRule.all.values.compactMap(\.label))

    /// The kind of failure for an operator: that of its SQLSTATE, else the code.
    var label: String {
        if let label = rule?.label { return label }
        return switch code {
        case .configuration: "configuration"
        case .unavailable: "unavailable"
        case .deadline: "deadline"
        case .constraint: "constraint"
        case .serialization: "serialization"
        case .server: "server"
        case .decoding: "decoding"
        case .outcomeUnknown: "outcomeUnknown"
        case .notDurable: "notDurable"
        }
    }
}
