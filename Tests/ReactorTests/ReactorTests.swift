import Reactor
import Testing

@Suite struct ReactorTests {
    private actor Resident {
        let reactor: Reactor
        nonisolated var unownedExecutor: UnownedSerialExecutor { reactor.asUnownedSerialExecutor() }
        private var fired: [String] = []

        init(_ reactor: Reactor) { self.reactor = reactor }

        func isOnItsThread() -> Bool { reactor.isOnThread }

        func wait(_ name: String, for delay: Duration) async {
            await withCheckedContinuation { continuation in
                reactor.schedule(after: delay) {
                    self.assumeIsolated { $0.fired.append(name) }
                    continuation.resume()
                }
            }
        }

        func order() -> [String] { fired }
    }

    @Test func runsAnActorOnItsThread() async {
        let reactor = Reactor(name: "test")
        let resident = Resident(reactor)
        #expect(await resident.isOnItsThread())
        #expect(!reactor.isOnThread)
        reactor.stop()
    }

    @Test func firesTimersInTheOrderTheyAreDue() async {
        let reactor = Reactor(name: "test")
        let resident = Resident(reactor)
        async let late: Void = resident.wait("late", for: .milliseconds(60))
        async let early: Void = resident.wait("early", for: .milliseconds(5))
        _ = await (late, early)
        #expect(await resident.order() == ["early", "late"])
        reactor.stop()
    }
}
