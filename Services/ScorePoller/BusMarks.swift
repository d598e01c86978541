import Synchronization

/// What the couriers of a poll group have learnt about event-buses.
final class BusMarks: Sendable {
    private static let lifetime = Duration.seconds(60)

    private struct State {
        /// With the time when each is asked whether it answers again.
        var silent: [String: ContinuousClock.Instant] = [:]
        var keeping: [String: ContinuousClock.Instant] = [:]
    }

    private let state = Mutex(State())

    /// Those that let a frame wait without an answer, and have answered nothing since: they are connected and do nothing.
    var silent: Set<String> { state.withLock { Set($0.silent.keys) } }

    /// Those that did not hand a match over, for a minute: they may be older than that request.
    var keeping: Set<String> {
        state.withLock { state in
            state.keeping = state.keeping.filter { $0.value > .now }
            return Set(state.keeping.keys)
        }
    }

    func noteSilence(of bus: String) { state.withLock { $0.silent[bus] = .now + Self.lifetime } }

    /// It answered, or has come anew.
    func noteLife(of bus: String) { state.withLock { $0.silent[bus] = nil } }

    func noteKeeping(by bus: String) { state.withLock { $0.keeping[bus] = .now + Self.lifetime } }

    /// The silent ones that are to be asked now: each once a minute. Those that are gone are forgotten.
    func overdue(of buses: [String]) -> [String] {
        state.withLock { state in
            state.silent = state.silent.filter { buses.contains($0.key) }
            let due = state.silent.filter { $0.value <= .now }.map(\.key)
            for bus in due { state.silent[bus] = .now + Self.lifetime }
            return due
        }
    }
}
