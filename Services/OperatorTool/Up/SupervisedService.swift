import Processes

/// One process of the suite as the supervisor sees it.
struct SupervisedService: Sendable {
    var name: String
    var command: Command
    /// The URL of `/health/ready`; nil for a service without a health server.
    var readyURL: String?
    /// Where it serves, if it is a gateway.
    var url: String?
    var logFile: String
    /// The signal that asks it to end: SIGTERM, but SIGINT for PostgreSQL, where SIGTERM waits for all clients to
    /// leave.
    var stopSignal: Int32 = 15
    /// Whether it is started again when it dies.
    var restarts = true
}
