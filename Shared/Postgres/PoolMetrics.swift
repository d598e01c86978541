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

    struct Connections: Equatable {
        var shared = 0
        var leased = 0
        var opening = 0
    }

    init() {
        // The series are exported before the first connection.
        moved(from: Connections(), to: Connections())
        waiting.increment(by: 0)
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
        Counter(label: "sightscreen_database_failures_total", dimensions: [("code", error.code.name)]).increment()
    }
}

extension PostgresError.Code {
    /// The code without the SQLSTATE, because a label's values come from a fixed set.
    fileprivate var name: String {
        switch self {
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
