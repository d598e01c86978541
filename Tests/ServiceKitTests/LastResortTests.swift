import Logging
import ServiceKit
import ServiceLifecycle
import Testing

@Suite struct LastResortTests {
    /// Waits for something that does not come until it is taken away.
    private struct Stubborn: Service {
        let something: AsyncStream<Void>
        let end: AsyncStream<Void>.Continuation

        func run() async throws {
            await withLastResort(after: .milliseconds(50), { end.finish() }) {
                // In a task of its own, since this one is cancelled.
                await Task { for await _ in something {} }.value
            }
        }
    }

    @Test(.timeLimit(.minutes(1))) func whatKeepsAServiceWaitingIsTakenAwayWhenItIsToStop() async throws {
        let (something, end) = AsyncStream.makeStream(of: Void.self)
        let group = ServiceGroup(
            services: [Stubborn(something: something, end: end)], logger: Logger(label: "test"))
        let running = Task { try await group.run() }
        await group.triggerGracefulShutdown()
        try await running.value
    }

    @Test func aServiceThatEndsByItselfNeedsNone() async throws {
        let (called, call) = AsyncStream.makeStream(of: Void.self)
        let value = await withLastResort(after: .zero, { call.yield() }) { 7 }
        #expect(value == 7)
        call.finish()
        #expect(await called.reduce(0) { count, _ in count + 1 } == 0)
    }
}
