import NIOConcurrencyHelpers

/// Lets a line into the log once a second: a peer that does wrong as often as it can fills no disk.
final class LinePerSecond: Sendable {
    private struct State {
        var next: ContinuousClock.Instant?
        var unsaid = 0
    }

    private let state = NIOLockedValueBox(State())

    /// - Returns: how many went unsaid since the last line; nil: this one goes unsaid, too.
    func admit(at now: ContinuousClock.Instant = .now) -> Int? {
        state.withLockedValue { state in
            if let next = state.next, now < next {
                state.unsaid += 1
                return nil
            }
            defer { state.unsaid = 0 }
            state.next = now + .seconds(1)
            return state.unsaid
        }
    }
}
