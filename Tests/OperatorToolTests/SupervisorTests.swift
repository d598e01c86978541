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

    /// As a test has it that strikes processes by hand.
    @Test(.timeLimit(.minutes(1))) func whatStaysDeadIsStartedAgainWhenAsked() async throws {
        let reactor = Reactor(name: "processes")
        let processes = ProcessTable(reactor: reactor)
        let (events, continuation) = AsyncStream<Supervisor.Event>.makeStream()
        let supervisor = Supervisor(processes: processes) { continuation.yield($0) }
        let sleeper = SupervisedService(
            name: "sleeper",
            command: Command("/bin/sleep", ["600"], environment: [:], directory: "/", output: .file("/dev/null")),
            logFile: "/dev/null", restarts: false)
        var iterator = events.makeAsyncIterator()
        for _ in 0..<2 {
            await supervisor.start(sleeper)
            guard case .started(_, let pid) = await iterator.next() else {
                Issue.record("it was not started")
                return
            }
            await processes.signal(pid, 9)
            guard case .died(_, pid, .signalled(9), nil) = await iterator.next() else {
                Issue.record("its death was not told")
                return
            }
        }
        #expect(await supervisor.stop().isEmpty)
        reactor.stop()
    }
}
