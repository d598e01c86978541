public import Sightscreen

/// How far a phone that does not answer to starts has been brought, for all matches together.
public struct FallbackProgress: Hashable, Sendable {
    public var step: StartFallback.Step
    public var since: Moment?
    /// The start token that has been through the chain and has started nothing since.
    public var spentToken: PushToStartToken?
    public var visibleAt: Moment?

    public init(
        step: StartFallback.Step = .none, since: Moment? = nil, spentToken: PushToStartToken? = nil,
        visibleAt: Moment? = nil
    ) {
        self.step = step
        self.since = since
        self.spentToken = spentToken
        self.visibleAt = visibleAt
    }

    /// The app is awake, or a start has worked.
    mutating func registered(token: PushToStartToken?) {
        step = .none
        since = nil
        if token == nil || token != spentToken { spentToken = nil }
    }

    /// - Returns: the push that is due now.
    mutating func advance(
        startIsLost: Bool, token: PushToStartToken?, _ now: Moment, _ rule: StartFallback
    ) -> ActivityIntent? {
        let state = StartFallback.State(
            step: step, since: since.map { now - $0 } ?? .zero,
            tokenIsSpent: token != nil && token == spentToken, sinceVisible: visibleAt.map { now - $0 })
        guard let next = rule.next(state, startIsLost: startIsLost) else { return nil }
        step = next
        since = now
        switch next {
        case .silent:
            spentToken = token
            return .silentPush
        case .visible:
            visibleAt = now
            return .visiblePush
        case .none, .passive: return nil
        }
    }
}
