public import SightscreenClient
import Synchronization

/// A clock that stands still until it is advanced, for tests and simulations.
public final class SimulatedClock: ClientClock {
    fileprivate struct Sleeper {
        var id: Int
        var due: Duration
        var continuation: CheckedContinuation<Void, any Error>
    }

    fileprivate struct State {
        /// The time since 1970.
        var time: Duration
        var nextID = 0
        /// The sleeping tasks, in order of their times.
        var sleepers: [Sleeper] = []
        var cancelled: Set<Int> = []
    }

    private let state: Mutex<State>

    /// - Parameter now: the first time, in seconds since 1970.
    public init(now: Int) { state = Mutex(State(time: .seconds(now))) }

    public var now: Int { Int(state.withLock { $0.time }.components.seconds) }

    /// The number of sleeping tasks.
    public var sleeperCount: Int { state.withLock { $0.sleepers.count } }

    /// Returns the number of tasks that wake within the duration.
    public func sleeperCount(within duration: Duration) -> Int {
        state.withLock { state in state.sleepers.count { $0.due <= state.time + duration } }
    }

    /// The time until the next task wakes; nil when none sleeps.
    public var untilNext: Duration? { state.withLock { state in state.sleepers.first.map { $0.due - state.time } } }

    public func sleep(for duration: Duration) async throws { try await sleep { $0 + duration } }

    /// Sleeps until a time, however far the clock goes before the sleep has begun.
    ///
    /// - Parameter second: seconds since 1970.
    public func sleep(until second: Int) async throws { try await sleep { _ in .seconds(second) } }

    private func sleep(_ due: @escaping @Sendable (Duration) -> Duration) async throws {
        try Task.checkCancellation()
        let id = state.withLock { state in
            state.nextID += 1
            return state.nextID
        }
        defer { state.withLock { _ = $0.cancelled.remove(id) } }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let over = state.withLock { state -> Result<Void, any Error>? in
                    if state.cancelled.contains(id) { return .failure(CancellationError()) }
                    let due = due(state.time)
                    if due <= state.time { return .success(()) }
                    let place = state.sleepers.firstIndex { $0.due > due } ?? state.sleepers.endIndex
                    state.sleepers.insert(Sleeper(id: id, due: due, continuation: continuation), at: place)
                    return nil
                }
                if let over { continuation.resume(with: over) }
            }
        } onCancel: {
            cancel(id)
        }
    }

    /// Advances the time, and wakes the tasks that are due, in order.
    public func advance(by duration: Duration) {
        let end = state.withLock { $0.time } + duration
        while let sleeper = state.withLock({ $0.wakeNext(until: end) }) { sleeper.continuation.resume() }
    }

    public func advance(seconds: Int) { advance(by: .seconds(seconds)) }

    private func cancel(_ id: Int) {
        let sleeper = state.withLock { state -> Sleeper? in
            guard let index = state.sleepers.firstIndex(where: { $0.id == id }) else {
                // The task has not begun to sleep, or is awake already.
                state.cancelled.insert(id)
                return nil
            }
            return state.sleepers.remove(at: index)
        }
        sleeper?.continuation.resume(throwing: CancellationError())
    }
}

extension SimulatedClock.State {
    /// Removes the next sleeper that is due and sets the time to its time. When none is due, it sets the time to `end`.
    fileprivate mutating func wakeNext(until end: Duration) -> SimulatedClock.Sleeper? {
        guard let first = sleepers.first, first.due <= end else {
            time = max(time, end)
            return nil
        }
        time = max(time, first.due)
        return sleepers.removeFirst()
    }
}
