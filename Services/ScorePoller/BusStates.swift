import Synchronization
/// The states of the event-buses, as the senders of a poll group see them.
final class BusStates: Sendable {
    private static let lifetime = Duration.seconds(60)

    private struct State {
        /// Silent buses, each with the time of its next liveness check.
        var silent: [String: ContinuousClock.Instant] = [:]
        var refusing: [String: ContinuousClock.Instant] = [:]
    }

    private let state = Mutex(State())
    /// Buses that did not answer a frame and have answered nothing since.
    var silent: Set<String> { state.withLock { Set($0.silent.keys) } }
    /// Buses that did not hand a match over, for a minute: an older release may not know the request.
    var refusing: Set<String> {
        state.withLock { state in
            state.refusing = state.refusing.filter { $0.value > .now }
            return Set(state.refusing.keys)
        }
    }

    func noteSilence(of bus: String) { state.withLock { $0.silent[bus] = .now + Self.lifetime } }

    /// Notes that the bus answered, or connected anew.
    func noteAnswer(of bus: String) { state.withLock { $0.silent[bus] = nil } }

    func noteRefusal(by bus: String) { state.withLock { $0.refusing[bus] = .now + Self.lifetime } }
    /// The silent buses to check now, each once a minute. Buses that are gone are forgotten.
    func overdue(of buses: [String]) -> [String] {
        state.withLock { state in
            state.silent = state.silent.filter { buses.contains($0.key) }
            let due = state.silent.filter { $0.value <= .now }.map(\.key)
            for bus in due { state.silent[bus] = .now + Self.lifetime }
            return due
        }
    }
}
