import Synchronization

/// Sends each new value to any number of readers. A slow reader misses older values, never the newest. Memory is
/// bounded by `buffer` values for each reader.
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
    ///   - buffer: the number of values kept for a slow reader; 1 where a value makes the ones before it worthless.
    ///   - repeatsLatest: whether a new reader begins with the latest value.
    package init(_ first: Value? = nil, buffer: Int = 1, repeatsLatest: Bool = true) {
        state = Mutex(State(latest: first))
        self.buffer = buffer
        self.repeatsLatest = repeatsLatest
    }

    package var latest: Value? { state.withLock { $0.latest } }

    package func send(_ value: Value) {
        // Values are sent under the lock, so that every reader gets them in the order in which they came.
        state.withLock { state in
            state.latest = value
            for reader in state.readers.values { reader.yield(value) }
        }
    }

    /// - Parameter repeatingLatest: whether this reader begins with the latest value, where the others do.
    package func values(repeatingLatest: Bool = true) -> AsyncStream<Value> {
        let (stream, continuation) = AsyncStream.makeStream(of: Value.self, bufferingPolicy: .bufferingNewest(buffer))
        let reader = state.withLock { state in
            state.nextReader += 1
            state.readers[state.nextReader] = continuation
            if repeatsLatest, repeatingLatest, let latest = state.latest { continuation.yield(latest) }
            return state.nextReader
        }
        continuation.onTermination = { [weak self] _ in self?.remove(reader) }
        return stream
    }

    /// Ends all streams. Streams that are made later begin anew.
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
