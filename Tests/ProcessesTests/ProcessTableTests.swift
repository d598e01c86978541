import Glibc
import Processes
import Reactor
import Testing

@Suite struct ProcessTableTests {
    let reactor = Reactor(name: "processes")

    @Test func reportsHowAProgramEnded() async throws {
        let table = ProcessTable(reactor: reactor)
        #expect(try await table.run(Command("sh", ["-c", "exit 7"])) == .exited(7))
        let sleeper = try await table.start(Command("sleep", ["60"]))
        await table.signal(sleeper, 9)
        #expect(await table.exitStatus(of: sleeper) == .signalled(9))
        #expect(await table.exitStatus(of: sleeper) == .signalled(9), "the answer stays the same when asked again")
        reactor.stop()
    }

    /// The kernel gives numbers again, and who may say which number was the last one can make it do so.
    @Test(.enabled(if: access(lastNumber, W_OK) == 0 && getuid() == 0))
    func aProcessWithTheNumberOfOneThatHasEndedRuns() async throws {
        let table = ProcessTable(reactor: reactor)
        var (first, second): (Int32, Int32) = (0, 0)
        for _ in 0..<200 where second == 0 || second != first {
            if second != 0 { _ = await table.stop(second, with: 9, patience: .seconds(1)) }
            first = try await table.start(Command("true"))
            _ = await table.exitStatus(of: first)
            guard let file = fopen(Self.lastNumber, "w") else { return }
            fputs("\(first - 1)", file)
            fclose(file)
            second = try await table.start(Command("sleep", ["60"]))
        }
        try #require(first == second, "other processes took every number")
        // What is asked before its end waits for it.
        let pid = second
        let status = Task { await table.exitStatus(of: pid) }
        try await Task.sleep(for: .milliseconds(100))
        await table.signal(pid, 9)
        #expect(await status.value == .signalled(9))
        reactor.stop()
    }

    private static let lastNumber = "/proc/sys/kernel/ns_last_pid"

    @Test func killsWhatDoesNotStopInTime() async throws {
        let table = ProcessTable(reactor: reactor)
        let deaf = try await table.start(
            Command("sh", ["-c", "trap '' TERM; echo ready; while :; do sleep 1; done"], output: .discard))
        try await Task.sleep(for: .milliseconds(200))
        #expect(await table.stop(deaf, patience: .milliseconds(100)) == .signalled(9))
        reactor.stop()
    }

    @Test func namesAProgramThatIsNotThere() async throws {
        let table = ProcessTable(reactor: reactor)
        await #expect(throws: ProcessError.self) { try await table.start(Command("no-such-program")) }
        reactor.stop()
    }
}
