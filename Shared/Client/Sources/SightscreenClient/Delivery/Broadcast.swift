import Synchronization

/// Tells any number of readers each new value. A reader that is slow misses older values, never the newest; memory is
/// bounded by `buffer` values a reader.
package final class Broadcast<Value: Sendable>: Sendable {
    private struct State {
        var latest: Value?
        var nextReader = 0
        var readers: [Int: AsyncStream<Value>.Continuation] = [:]
    }

    private let state: Mutex<State>
    private let buffer: Int
    private let repeatsLatest: Bool

    /// - Parameters:
    ///   - buffer: 1 where a value makes those before it worthless.
    ///   - repeatsLatest: a new reader begins with the value that is there.
    package init(_ first: Value? = nil, buffer: Int = 1, repeatsLatest: Bool = true) {
        state = Mutex(State(latest: first))
        self.buffer = buffer
        self.repeatsLatest = repeatsLatest
    }

    package var latest: Value? { state.withLock { $0.latest } }

    package func send(_ value: Value) {
        // Under the lock, so that every reader gets values in the order in which they came.
        state.withLock { state in
            state.latest = value
            for reader in state.readers.values { reader.yield(value) }
        }
    }

    package func values() -> AsyncStream<Value> {
        let (stream, continuation) = AsyncStream.makeStream(of: Value.self, bufferingPolicy: .bufferingNewest(buffer))
        let reader = state.withLock { state in
            state.nextReader += 1
            state.readers[state.nextReader] = continuation
            if repeatsLatest, let latest = state.latest { continuation.yield(latest) }
            return state.nextReader
        }
        continuation.onTermination = { [weak self] _ in self?.remove(reader) }
        return stream
    }

    /// All streams end; those that are asked for later begin anew.
    package func disconnect() {
        let readers = state.withLock { state in
            let readers = Array(state.readers.values)
            state.readers = [:]
            return readers
        }
        for reader in readers { reader.finish() }
    }

    package var readerCount: Int { state.withLock { $0.readers.count } }

    private func remove(_ reader: Int) { state.withLock { _ = $0.readers.removeValue(forKey: reader) } }
}
