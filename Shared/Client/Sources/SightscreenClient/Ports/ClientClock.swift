/// The clock, passed in from outside. Tests and simulations advance one of their own.
public protocol ClientClock: Sendable {
    /// The present, in seconds since 1970.
    var now: Int { get }

    /// - Throws: `CancellationError` when the task is cancelled while it waits.
    func sleep(for duration: Duration) async throws

    /// - Parameter second: the time to wake, in seconds since 1970; one that has passed returns at once.
    /// - Throws: `CancellationError` when the task is cancelled while it waits.
    func sleep(until second: Int) async throws
}

extension ClientClock {
    public func sleep(until second: Int) async throws { try await sleep(for: .seconds(max(second - now, 0))) }
}
