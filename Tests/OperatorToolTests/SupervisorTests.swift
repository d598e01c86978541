import Processes
import Reactor
import Testing

@testable import OperatorTool

@Suite struct SupervisorTests {
    /// Ctrl-C may come at any moment, also while a service is being started and has no process yet.
    @Test(.timeLimit(.minutes(2))) func whatIsBeingStartedIsEndedToo() async throws {
        let reactor = Reactor(name: "processes")
        let processes = ProcessTable(reactor: reactor)
        for round in 0..<60 {
            let supervisor = Supervisor(processes: processes) { _ in }
            await supervisor.start(
                SupervisedService(
                    name: "sleeper",
                    command: Command(
                        "/bin/sleep", ["600"], environment: [:], directory: "/", output: .file("/dev/null")),
                    readyURL: nil, logFile: "/dev/null", stopSignal: 15))
            for _ in 0..<round % 12 { await Task.yield() }
            _ = await supervisor.stop()
            if let pid = await supervisor.pid(of: "sleeper") { #expect(await !processes.isRunning(pid)) }
        }
        reactor.stop()
    }
}
