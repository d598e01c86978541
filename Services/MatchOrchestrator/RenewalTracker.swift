import Activities
import SightscreenModels
/// Tracks the age that the activities of each match can have, so that they are scanned only when one may be due.
struct RenewalTracker: Sendable {
    /// The longest time that a start can be out before its activity is known to run.
    static let unseen = StartPolicy.leaseMax

    private let rule: RenewalRule
    /// The earliest time at which an unmarked activity of the match can have begun.
    private var began: [MatchID: ContinuousClock.Instant] = [:]

    init(rule: RenewalRule) { self.rule = rule }

    /// Returns the age from which activities are due; nil if none can be that old.
    mutating func age(_ match: MatchID, isBreak: Bool, at now: ContinuousClock.Instant) -> Duration? {
        let age = isBreak ? rule.afterInBreak : rule.after
        guard let began = began[match] else { return age }
        return now - began >= age ? age : nil
    }

    /// - Parameter oldest: the age of the oldest activity that is not due; nil if there is none.
    mutating func scanned(_ match: MatchID, oldest: Duration?, at now: ContinuousClock.Instant) {
        began[match] = now - max(oldest ?? .zero, Self.unseen)
    }

    mutating func forget(except matches: some Collection<MatchID>) {
        let kept = Set(matches)
        began = began.filter { kept.contains($0.key) }
    }
}
