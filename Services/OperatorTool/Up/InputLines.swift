import Reactor

/// Standard input, a line at a time, read on a thread that has nothing else to do.
actor InputLines {
    private nonisolated let reactor = Reactor(name: "input")
    nonisolated var unownedExecutor: UnownedSerialExecutor { reactor.asUnownedSerialExecutor() }

    private func next() -> String? { readLine() }

    /// A waiting thread cannot be called back: what is left of this ends with the process.
    static func all() -> AsyncStream<String> {
        let (lines, continuation) = AsyncStream<String>.makeStream()
        Task {
            let input = InputLines()
            while let line = await input.next() { continuation.yield(line) }
            continuation.finish()
        }
        return lines
    }
}
