import TestKit
import Testing

@testable import Postgres

@Suite struct TurnsTests {
    private actor Order {
        private(set) var numbers: [Int] = []
        func append(_ number: Int) { numbers.append(number) }
    }

    /// Takes turns until it is let go on.
    private static func hold(_ turns: Turns, _ keys: [String]) async throws -> (Task<Void, any Error>, () -> Void) {
        let (begun, begins) = AsyncStream<Void>.makeStream()
        let (ended, ends) = AsyncStream<Void>.makeStream()
        let task = Task {
            try await turns.take(keys) {
                begins.finish()
                for await _ in ended {}
            }
        }
        for await _ in begun {}
        return (task, { ends.finish() })
    }

    @Test func callersOfAKeyComeOneAfterTheOtherInTheirOrder() async throws {
        let turns = Turns(waitersMax: 8, patience: .seconds(60))
        let (first, letGo) = try await Self.hold(turns, ["a"])
        let order = Order()
        var waiters: [Task<Void, any Error>] = []
        for number in 0..<5 {
            waiters.append(Task { try await turns.take(["a", "b"]) { await order.append(number) } })
            try await eventually("it waits") { await turns.waiting("a") == number + 1 }
        }
        // Callers of other keys do not wait for them.
        try await turns.take(["b", "c"]) {}
        #expect(await order.numbers == [])
        letGo()
        for task in [first] + waiters { try await task.value }
        #expect(await order.numbers == [0, 1, 2, 3, 4])
    }

    @Test func aLineHasAnEndAndNobodyWaitsForEver() async throws {
        let turns = Turns(waitersMax: 1, patience: .milliseconds(300))
        let (first, letGo) = try await Self.hold(turns, ["a"])
        let late = Task { try await turns.take(["b", "a"]) {} }
        try await eventually("it waits") { await turns.waiting("a") == 1 }
        await #expect(throws: Turns.Refusal.full) { try await turns.take(["a"]) {} }
        await #expect(throws: Turns.Refusal.late) { try await late.value }
        // What it had already is free.
        try await turns.take(["b"]) {}
        letGo()
        try await first.value
        try await turns.take(["a"]) {}
    }

    @Test func aCallerWhoLeavesOrFailsKeepsNobodyWaiting() async throws {
        struct Failed: Error {}
        let turns = Turns(waitersMax: 8, patience: .seconds(60))
        let (first, letGo) = try await Self.hold(turns, ["a"])
        let leaver = Task { try await turns.take(["a"]) {} }
        try await eventually("it waits") { await turns.waiting("a") == 1 }
        leaver.cancel()
        await #expect(throws: CancellationError.self) { try await leaver.value }
        letGo()
        try await first.value
        await #expect(throws: Failed.self) { try await turns.take(["a"]) { throw Failed() } }
        try await turns.take(["a"]) {}
    }
}
