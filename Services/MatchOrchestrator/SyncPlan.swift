import Store

/// Decides which days of the schedule are fetched next, and when: the days around now at every pass, all days every ten
/// minutes, and never more than half of the calls that the provider allows. The provider may be too slow for all days:
/// when they fail, the days around now go on, and all days are tried again after two minutes.
struct SyncPlan: Sendable {
    /// The days to fetch, and the part of them in which fixtures can count as missing. A day at either end is left out
    /// of that part: the provider counts days by its midnight, and leaves out the last.
    struct Span: Sendable, Equatable {
        var from: Int
        var to: Int
        var checkedFrom: Int { from + SyncPlan.day }
        var checkedTo: Int { to - SyncPlan.day }
    }

    static let day = 86_400
    static let fullSyncInterval: Duration = .seconds(600)
    static let fullSyncRetry: Duration = .seconds(120)
    static let wholeDays = ScheduleWindow.days
    static let nearDays = -2...2

    /// The whole span around a time in seconds since 1970.
    static func window(_ seconds: Int) -> Span {
        Span(from: seconds + wholeDays.lowerBound * day, to: seconds + wholeDays.upperBound * day)
    }

    /// The calls are spread over half of the provider's limit, because the poller uses the same endpoint for single
    /// fixtures.
    private let secondsPerCall: Double
    private var notBefore: ContinuousClock.Instant?
    private var wholeDueAt: ContinuousClock.Instant?

    /// - Parameter hourlyLimit: the calls an hour that the provider allows; 0: no limit.
    init(hourlyLimit: Int) {
        secondsPerCall = hourlyLimit > 0 ? 3_600 / (Double(hourlyLimit) / 2) : 0
    }

    /// Returns the span to fetch now; nil while calls have to be saved.
    /// - Parameter seconds: the time now, in seconds since 1970.
    func next(at now: ContinuousClock.Instant, seconds: Int) -> Span? {
        if let notBefore, now < notBefore { return nil }
        let days = isWholeDue(now) ? Self.wholeDays : Self.nearDays
        return Span(from: seconds + days.lowerBound * Self.day, to: seconds + days.upperBound * Self.day)
    }

    /// - Parameter calls: the number of calls made; a failure counts as at least one.
    mutating func finished(_ span: Span, calls: Int, succeeded: Bool, at now: ContinuousClock.Instant) {
        notBefore = now + .seconds(secondsPerCall * Double(max(calls, 1)))
        let isWhole = span.to - span.from == (Self.wholeDays.upperBound - Self.wholeDays.lowerBound) * Self.day
        if isWhole { wholeDueAt = now + (succeeded ? Self.fullSyncInterval : Self.fullSyncRetry) }
    }

    private func isWholeDue(_ now: ContinuousClock.Instant) -> Bool { wholeDueAt.map { now >= $0 } ?? true }
}
