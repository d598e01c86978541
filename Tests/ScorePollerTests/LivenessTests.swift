import Messages
import Synchronization
import TestKit
import Testing
import Wire

@testable import ScorePoller

@Suite struct LivenessTests {
    /// What an event-bus makes of the question.
    enum Bus: CaseIterable { case answers, doesNotKnowIt, hangs }

    @Test(arguments: Bus.allCases) func aBusThatSaysAnythingIsAlive(_ kind: Bus) async throws {
        try await withTemporaryDirectory { folder in
            let log = LogLines()
            let bus = WireServer(path: folder.appending("event-bus/a.sock"), logger: log.logger)
            let connections = Mutex(0)
            bus.onConnect { _ in connections.withLock { $0 += 1 } }
            if kind != .doesNotKnowIt {
                bus.answer(LivenessCheck.self) { _, _ in
                    if kind == .hangs { try await Task.sleep(for: .seconds(600)) }
                    return Alive()
                }
            }
            let buses = WireDirectory(runDirectory: folder.path, service: "event-bus", logger: log.logger)
            let running = [Task { try await bus.run() }, Task { try await buses.run() }]
            try await eventually("the bus is connected") { await buses.instances() == ["a"] }
            #expect(await buses.isAlive("a") == (kind != .hangs))
            #expect(await !buses.isAlive("b"), "nobody is there")
            #expect(connections.withLock { $0 } == 1, "the question costs no connection")
            running.forEach { $0.cancel() }
            for task in running { _ = await task.result }
        }
    }
}
