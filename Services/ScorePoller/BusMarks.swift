import Synchronization

/// What the couriers of a poll group have learnt about event-buses, for a minute at a time.
final class BusMarks: Sendable {
    private static let lifetime = Duration.seconds(60)

    private struct State {
        var silent: [String: ContinuousClock.Instant] = [:]
        var keeping: [String: ContinuousClock.Instant] = [:]
    }

    private let state = Mutex(State())

    /// Those that let a frame wait without an answer, and have answered none since: they are connected and do nothing.
    var silent: Set<String> { state.withLock { Self.valid(&$0.silent) } }

    /// Those that did not hand a match over: they may be older than that request.
    var keeping: Set<String> { state.withLock { Self.valid(&$0.keeping) } }

    func noteSilence(of bus: String) { state.withLock { $0.silent[bus] = .now + Self.lifetime } }

    func noteAnswer(of bus: String) { state.withLock { $0.silent[bus] = nil } }

    func noteKeeping(by bus: String) { state.withLock { $0.keeping[bus] = .now + Self.lifetime } }

    private static func valid(_ marks: inout [String: ContinuousClock.Instant]) -> Set<String> {
        marks = marks.filter { $0.value > .now }
        return Set(marks.keys)
    }
}
