/// Keeps inside the provider's allowance: so many calls per endpoint and hour, the hour starting with its first call.
/// Own counting comes first; an answer of 429 is obeyed on top.
public struct CallBudget: Sendable, Equatable {
    public static let hour = Duration.seconds(3_600)

    /// Calls per hour; 0 for no limit.
    public let limit: Int
    private var hourBegan: ContinuousClock.Instant?
    private var used = 0
    private var refusedUntil: ContinuousClock.Instant?

    public init(limit: Int) { self.limit = limit }

    /// Takes one call from the budget.
    /// - Returns: nil when it may be made, else when to ask again.
    public mutating func take(at now: ContinuousClock.Instant) -> ContinuousClock.Instant? {
        if let until = refusedUntil {
            if now < until { return until }
            refusedUntil = nil
        }
        guard limit > 0 else { return nil }
        if let began = hourBegan, now - began < Self.hour {
            guard used < limit else { return began + Self.hour }
        } else {
            hourBegan = now
            used = 0
        }
        used += 1
        return nil
    }

    /// The provider said 429.
    /// - Parameter retryAfter: its `Retry-After`; without one the rest of the hour is waited out.
    public mutating func refused(at now: ContinuousClock.Instant, retryAfter: Duration?) {
        refusedUntil = retryAfter.map { now + $0 } ?? (hourBegan.map { $0 + Self.hour } ?? now + .seconds(60))
    }
}
