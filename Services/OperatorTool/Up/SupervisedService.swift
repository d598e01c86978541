import Processes

/// One process of the suite as the supervisor sees it.
struct SupervisedService: Sendable {
    var name: String
    var command: Command
    /// Where `/health/ready` answers; nil for one that has no health server.
    var readyURL: String?
    var logFile: String
    /// What asks it to end: SIGTERM, but SIGINT for PostgreSQL, which takes SIGTERM for "when all clients have gone".
    var stopSignal: Int32 = 15
}
