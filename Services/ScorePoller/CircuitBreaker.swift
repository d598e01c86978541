/// Spares a provider that fails: after `failuresMax` failures in a row no call is made for a while; then one trial call
/// decides. The wait doubles with every failed trial, but not while a match is live, because its fans wait and an alert
/// is fresh for only half a minute.
public struct CircuitBreaker: Sendable, Equatable {
    public enum State: Sendable, Equatable {
        case closed
        /// No call is made before this instant.
        case open(until: ContinuousClock.Instant)
        /// One trial call is in flight.
        case halfOpen
    }

    public static let failuresMax = 5
    public static let firstWait = Duration.seconds(5)
    public static let longestWait = Duration.seconds(60)

    public private(set) var state = State.closed
    private var failures = 0
    private var nextWait = firstWait

    public init() {}

    /// When to ask again; nil when a call may be made. Asking changes nothing.
    public func closedUntil(at now: ContinuousClock.Instant) -> ContinuousClock.Instant? {
        switch state {
        case .closed: nil
        case .halfOpen: now + Self.firstWait
        case .open(let until): now < until ? until : nil
        }
    }

    /// Whether a call may be made now. Ask before each call: true in the half-open state starts the one trial call.
    public mutating func allowsCall(at now: ContinuousClock.Instant) -> Bool {
        switch state {
        case .closed: return true
        case .halfOpen: return false
        case .open(let until):
            guard now >= until else { return false }
            state = .halfOpen
            return true
        }
    }

    public mutating func succeeded() {
        state = .closed
        failures = 0
        nextWait = Self.firstWait
    }

    /// - Parameters:
    ///   - began: when the failed call was made, so that a call that hangs does not delay the next trial.
    ///   - isLive: whether a match is live, or may be.
    public mutating func failed(at began: ContinuousClock.Instant, isLive: Bool) {
        failures += 1
        guard state == .halfOpen || failures >= Self.failuresMax else { return }
        if isLive { nextWait = Self.firstWait }
        state = .open(until: began + nextWait)
        nextWait = min(nextWait * 2, Self.longestWait)
    }
}
