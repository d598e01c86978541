/// Spares a provider that fails: after `failuresMax` failures in a row no call is made for a while; then one trial call
/// decides. The wait doubles with every failed trial, but not while a match is live: its fans wait, and an alert is fresh for
/// half a minute only.
public struct CircuitBreaker: Sendable, Equatable {
    public enum State: Sendable, Equatable {
        case closed
        /// No call before this instant.
        case open(until: ContinuousClock.Instant)
        /// One trial call is under way.
        case halfOpen
    }

    public static let failuresMax = 5
    public static let firstWait = Duration.seconds(5)
    public static let longestWait = Duration.seconds(60)

    public private(set) var state = State.closed
    private var failures = 0
    private var nextWait = firstWait

    public init() {}

    /// Nil when a call may be made, else when to ask again; nothing is begun by asking.
    public func closedUntil(at now: ContinuousClock.Instant) -> ContinuousClock.Instant? {
        switch state {
        case .closed: nil
        case .halfOpen: now + Self.firstWait
        case .open(let until): now < until ? until : nil
        }
    }

    /// Asked before each call; a yes when half open is the one trial.
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
    ///   - began: when the call that failed was made. A call that hangs does not put the next trial off.
    ///   - isLive: whether a match is live, or may be.
    public mutating func failed(at began: ContinuousClock.Instant, isLive: Bool) {
        failures += 1
        guard state == .halfOpen || failures >= Self.failuresMax else { return }
        if isLive { nextWait = Self.firstWait }
        state = .open(until: began + nextWait)
        nextWait = min(nextWait * 2, Self.longestWait)
    }
}
