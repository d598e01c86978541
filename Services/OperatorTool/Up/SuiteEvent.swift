import FoundationEssentials
import Processes

/// A line of JSON that `sightscreen up --suite` prints.
struct SuiteEvent: Encodable {
    /// `ready`: all that is in the description runs. `started` and `died`: of one process.
    var event: String
    var atMs: Int64
    var endpoints: Endpoints?
    var name: String?
    var pid: Int32?
    /// The URL of its readiness, and of its API if it is a gateway.
    var ready: String?
    var url: String?
    /// The exit status, or the negative number of the signal.
    var status: Int32?
    /// The wait before it is started again; nil: it is not.
    var restartInMs: Int?

    init(_ event: String) {
        self.event = event
        atMs = Int64(Date().timeIntervalSince1970 * 1_000)
    }

    /// Makes the line of a supervisor's event; nil where standard error and the exit status tell it.
    init?(_ event: Supervisor.Event) {
        switch event {
        case .started(let service, let pid):
            self.init("started")
            (name, self.pid, ready, url) = (service.name, pid, service.readyURL, service.url)
        case .died(let service, let pid, let status, let wait):
            self.init("died")
            (name, self.pid, restartInMs) = (service, pid, wait.map { Int($0 / .milliseconds(1)) })
            switch status {
            case .exited(let code): self.status = code
            case .signalled(let signal): self.status = -signal
            }
        case .misconfigured: return nil
        }
    }

    func print() throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
        Output.line(String(decoding: try encoder.encode(self), as: UTF8.self))
    }
}
