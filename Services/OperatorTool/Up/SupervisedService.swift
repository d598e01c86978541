import Processes

/// One process of the suite as the supervisor sees it.
struct SupervisedService: Sendable {
    var name: String
    var command: Command
    /// Where `/health/ready` answers; nil for one that has no health server.
    var readyURL: String?
    var logFile: String
}
