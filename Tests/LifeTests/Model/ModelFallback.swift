import Activities
import SightscreenModels

/// How far a phone that does not answer to starts has been brought, for all matches together.
struct ModelFallback: Hashable, Sendable {
    var step: StartFallback.Step
    var since: Moment?
    /// The start token that has been through the chain and has started nothing since.
    var spentToken: PushToStartToken?
    var visibleAt: Moment?
    /// A start was answered since it began, after APNs had called the token dead: it is not spent if it is registered
    /// again.
    var wasAnswered: Bool

    init(
        step: StartFallback.Step = .none, since: Moment? = nil, spentToken: PushToStartToken? = nil,
        visibleAt: Moment? = nil, wasAnswered: Bool = false
    ) {
        self.step = step
        self.since = since
        self.spentToken = spentToken
        self.visibleAt = visibleAt
        self.wasAnswered = wasAnswered
    }

    /// The app is awake. What the same start token has had it does not get again.
    /// - Parameter token: what it registers as its start token; nil when it says nothing of that.
    mutating func registered(token: PushToStartToken?) {
        step = .none
        since = nil
        if let token, token != spentToken || wasAnswered { forgotten() }
    }

    /// A start has worked: the phone's token is as good as new.
    mutating func answered(tokenIsDead: Bool) {
        if !tokenIsDead { forgotten() } else if spentToken != nil { wasAnswered = true }
    }

    /// What was is over: the phone is nobody's any more, or as good as new.
    mutating func forgotten() { self = ModelFallback(visibleAt: visibleAt) }

    /// - Parameter mayWake: the phone may have another silent push; one that may not comes to the step without it.
    /// - Returns: the push that is due now.
    mutating func advance(
        _ start: ModelFallbackRule.Outlook, token: PushToStartToken?, mayWake: Bool, _ now: Moment,
        _ rule: ModelFallbackRule
    ) -> LifeIntent? {
        let state = ModelFallbackRule.State(
            step: step, since: since.map { now - $0 } ?? .zero,
            tokenIsSpent: token != nil && token == spentToken, sinceVisible: visibleAt.map { now - $0 })
        guard let next = rule.next(state, start) else { return nil }
        if step == .none { wasAnswered = false }
        step = next
        since = now
        switch next {
        case .silent:
            spentToken = token
            return mayWake ? .silentPush : nil
        case .visible:
            visibleAt = now
            return .visiblePush
        case .none, .passive: return nil
        }
    }
}
