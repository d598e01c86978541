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
