import NIOConcurrencyHelpers
/// Limits a log message to one a second, so that a misbehaving peer cannot fill the disk.
final class LogRateLimiter: Sendable {
    private struct State {
        var next: ContinuousClock.Instant?
        var unsaid = 0
    }

    private let state = NIOLockedValueBox(State())

    /// - Returns: how many messages were suppressed since the last line; nil when this one is suppressed, too.
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
