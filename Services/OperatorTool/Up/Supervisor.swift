import Logging
import Processes
import Reactor

/// Keeps the services of one machine running: starts them, restarts them when they die, ends them in reverse order.
/// A service that exits with status 78 (a setting is wrong) ends the run: starting it again would not help.
actor Supervisor {
    enum Event: Sendable {
        case started(service: SupervisedService, pid: Int32)
        /// Nil: it is not started again.
        case died(service: String, pid: Int32, status: ExitStatus, restartIn: Duration?)
        case misconfigured(service: String, line: String)
    }

    /// The exit status for a setting that is missing or malformed (EX_CONFIG of sysexits.h).
    static let misconfigured: Int32 = 78

    private let processes: ProcessTable
    private let report: @Sendable (Event) -> Void
    private var keepers: [(name: String, stopSignal: Int32, task: Task<Void, Never>)] = []
    private var pids: [String: Int32] = [:]
    private var startedAt: [String: ContinuousClock.Instant] = [:]
    private var isStopping = false
    private var failure: String?

    init(processes: ProcessTable, report: @escaping @Sendable (Event) -> Void) {
        self.processes = processes
        self.report = report
    }

    func start(_ service: SupervisedService) {
        keepers.append((service.name, service.stopSignal, Task { await keep(service) }))
    }

    func pid(of service: String) -> Int32? { pids[service] }
    func allPids() -> [String: Int32] { pids }

    /// Returns when a service is misconfigured, with the line it printed.
    func misconfiguration() async throws -> String {
        while true {
            if let failure { return failure }
            try await Task.sleep(for: .milliseconds(50))
        }
    }

    /// A service that lived this long is restarted after the shortest wait, as after its first death.
    static let healthyAfter = Duration.seconds(10)

    /// The time that a service has to end before it is killed.
    static let patience = Duration.seconds(6)

    /// Ends everything in reverse order of starting, each within `patience`.
    /// - Returns: the services that had to be killed or did not exit with 0.
    func stop(patience: Duration = Supervisor.patience) async -> [String] {
        isStopping = true
        var unclean: [String] = []
        for keeper in keepers.reversed() {
            keeper.task.cancel()
            if let pid = pids[keeper.name], await processes.isRunning(pid) {
                let status = await processes.stop(pid, with: keeper.stopSignal, patience: patience)
                if !status.isSuccess, !endedBeforeHandlers(keeper.name, of: keeper.stopSignal, status) {
                    unclean.append("\(keeper.name) (\(status))")
                }
            }
            await keeper.task.value
        }
        keepers = []
        return unclean
    }

    /// Whether a process died of the signal because it was asked to end before it could install its handlers.
    private func endedBeforeHandlers(_ name: String, of signal: Int32, _ status: ExitStatus) -> Bool {
        guard status == .signalled(signal), let started = startedAt[name] else { return false }
        return .now - started < .seconds(5)
    }

    private func keep(_ service: SupervisedService) async {
        var backoff = Backoff(initial: .milliseconds(100), maximum: .seconds(5), part: 1...1)
        while !isStopping {
            let started = ContinuousClock.now
            let status: ExitStatus
            let pid: Int32
            do {
                pid = try await processes.start(service.command)
                pids[service.name] = pid
                startedAt[service.name] = started
                // The service was asked to end while it started, when there was no process yet to signal.
                if isStopping {
                    _ = await processes.stop(pid, with: service.stopSignal, patience: Self.patience)
                    return
                }
                report(.started(service: service, pid: pid))
                status = await processes.exitStatus(of: pid)
            } catch {
                fail(service, "\(service.name): \(error)")
                return
            }
            if !isStopping, status == .exited(Self.misconfigured) {
                fail(service, TextFile.lastLine(of: service.logFile) ?? "\(service.name): a setting is wrong")
                return
            }
            if isStopping || !service.restarts {
                // Before it is told: then it may be started anew.
                if !isStopping { keepers.removeAll { $0.name == service.name } }
                report(.died(service: service.name, pid: pid, status: status, restartIn: nil))
                return
            }
            if .now - started >= Self.healthyAfter { backoff.reset() }
            let wait = backoff.next()
            report(.died(service: service.name, pid: pid, status: status, restartIn: wait))
            // Cancelled when the run ends: then there is nothing to wait for.
            try? await Task.sleep(for: wait)
        }
    }

    private func fail(_ service: SupervisedService, _ line: String) {
        report(.misconfigured(service: service.name, line: line))
        failure = line
    }
}
