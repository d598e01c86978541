import Activities
import SightscreenModels

/// Remembers how old the activities of each match can be, so that a million of them are looked at when one may be due and
/// not at every pass.
struct RenewalWatch: Sendable {
    /// Before an activity is known to run its start was out for at most so long.
    static let unseen = StartPolicy.leaseMax

    private let rule: RenewalRule
    /// No activity of the match that is not marked began earlier.
    private var began: [MatchID: ContinuousClock.Instant] = [:]

    init(rule: RenewalRule) { self.rule = rule }

    /// The age from which activities are due; nil when none can be that old.
    mutating func age(_ match: MatchID, isBreak: Bool, at now: ContinuousClock.Instant) -> Duration? {
        let age = isBreak ? rule.afterInBreak : rule.after
        guard let began = began[match] else { return age }
        return now - began >= age ? age : nil
    }

    /// - Parameter oldest: of those that are not due.
    mutating func looked(_ match: MatchID, oldest: Duration?, at now: ContinuousClock.Instant) {
        began[match] = now - max(oldest ?? .zero, Self.unseen)
    }

    mutating func forget(except matches: some Collection<MatchID>) {
        let kept = Set(matches)
        began = began.filter { kept.contains($0.key) }
    }
}
