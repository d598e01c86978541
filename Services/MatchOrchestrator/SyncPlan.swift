/// Decides which days of the schedule are asked for next, and when: the days around now at every pass, everything at
/// times, and never more calls than the provider's limit leaves to us.
struct SyncPlan: Sendable {
    /// The days to ask for, and the part of them that is judged: a day at either end is left out, because whether the
    /// provider counts its bounds in is nowhere written.
    struct Span: Sendable, Equatable {
        var from: Int
        var to: Int
        var judgedFrom: Int { from + SyncPlan.day }
        var judgedTo: Int { to - SyncPlan.day }
    }

    static let day = 86_400
    static let wholeEvery: Duration = .seconds(600)
    /// A Test that began five days ago, and a fortnight ahead.
    static let wholeDays = -7...15
    static let nearDays = -2...2

    /// Half of what the plan allows: the poller asks for single fixtures at the same endpoint.
    private let secondsPerCall: Double
    private var notBefore: ContinuousClock.Instant?
    private var wholeSyncedAt: ContinuousClock.Instant?

    /// - Parameter hourlyLimit: calls an hour; 0: no limit.
    init(hourlyLimit: Int) {
        secondsPerCall = hourlyLimit > 0 ? 3_600 / (Double(hourlyLimit) / 2) : 0
    }

    /// Nil while calls have to be saved.
    /// - Parameter seconds: now, since 1970.
    func next(at now: ContinuousClock.Instant, seconds: Int) -> Span? {
        if let notBefore, now < notBefore { return nil }
        let days = isWholeDue(now) ? Self.wholeDays : Self.nearDays
        return Span(from: seconds + days.lowerBound * Self.day, to: seconds + days.upperBound * Self.day)
    }

    /// - Parameter calls: how many it took; at least one, also for a failure.
    mutating func finished(_ span: Span, calls: Int, succeeded: Bool, at now: ContinuousClock.Instant) {
        notBefore = now + .seconds(secondsPerCall * Double(max(calls, 1)))
        let isWhole = span.to - span.from == (Self.wholeDays.upperBound - Self.wholeDays.lowerBound) * Self.day
        if succeeded, isWhole { wholeSyncedAt = now }
    }

    private func isWholeDue(_ now: ContinuousClock.Instant) -> Bool {
        wholeSyncedAt.map { now - $0 >= Self.wholeEvery } ?? true
    }
}
