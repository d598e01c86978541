import Activities
import SightscreenModels

/// What the match and the clock do.
extension LifeModel {
    mutating func matchBecame(_ phase: LifePhase, _ now: Moment) -> [LifeIntent] {
        guard phase != self.phase else { return [] }
        let resumes = self.phase == .suspended && phase == .live
        self.phase = phase
        phaseSince = now
        guard resumes, let token = current?.token else { return [] }
        return [.pushState(token)]
    }

    /// The orchestrator's look: ends first, for what has ended must not be started.
    mutating func passDue(_ now: Moment, _ policy: ModelPolicy) -> [LifeIntent] {
        if phase.endsActivities { changeCurrent { $0.end(.matchEnd, .linger, now) } }
        if !isFollowed { changeCurrent { $0.end(.unfollowed, .now, now) } }
        giveUp(now, policy)
        lookAtAge(now, policy)
        if shouldExist, !isMissing { createPending(now, evenIncapable: false) }
        let push = phone.fallback.advance(
            startOutlook(now), token: phone.startToken ?? phone.deadStartToken,
            mayWake: phone.reconcile.leavesRoom(now), now, policy.fallback)
        let isAsked = phone.reconcile.isDue && shouldExist && generations.first?.card == .unknown
        guard push == .silentPush || isAsked && phone.reconcile.leavesRoom(now) else { return push.map { [$0] } ?? [] }
        // One push does for both.
        phone.reconcile.sent(now)
        return push == .visiblePush ? [.visiblePush, .silentPush] : [.silentPush]
    }

    /// The tries are used up and the last one's lease has passed.
    private mutating func giveUp(_ now: Moment, _ policy: ModelPolicy) {
        changeCurrent {
            guard $0.status == .pending, $0.start.givenUpAt == nil,
                policy.starts.next(tries: $0.start.tries, leaseIsOut: $0.start.isLeased(now)) == .giveUp
            else { return }
            $0.start.givenUpAt = now
        }
    }

    private mutating func lookAtAge(_ now: Moment, _ policy: ModelPolicy) {
        guard shouldExist, let current, current.status == .active, let since = current.shownSince else { return }
        let (age, play) = (now - since, phase.play)
        if policy.renewal.isDue(age: age, play) { changeCurrent { $0.isToBeRenewed = true } }
        let next = policy.renewal.next(
            age: age, play, isMarked: current.isToBeRenewed, tries: current.start.tries,
            leaseIsOut: current.start.isLeased(now), sent: ModelStarts.Sent(), policy.starts)
        // iOS has ended it, or is about to: one that is missing is started.
        if next == .end { changeCurrent { $0.end(.matchEnd, .now, now) } }
    }

    /// How the start of an activity that should exist now stands.
    func startOutlook(_ now: Moment) -> ModelFallbackRule.Outlook {
        guard shouldExist, phone.allowsActivities else { return .underWay }
        guard let current else { return phone.startTokenIsDead && !isMissing ? .lost : .underWay }
        guard current.status == .pending else { return .underWay }
        // Refused: its lease need not be waited for.
        if current.start.givenUpAt != nil || phone.startTokenIsDead && !current.start.isLeased(now) { return .lost }
        // The second went unanswered, too.
        if current.start.tries > 2 || current.start.tries == 2 && !current.start.isLeased(now) { return .lost }
        return current.start.tries == 2 ? .unanswered : .underWay
    }

    /// Leases the start that may go out now.
    mutating func startDue(
        _ start: StartID, _ sent: ModelStarts.Sent, _ now: Moment, _ policy: ModelPolicy
    ) -> [LifeIntent] {
        guard shouldExist, phone.allowsActivities, let token = phone.startToken, let current else { return [] }
        let lease: Duration
        switch current.status {
        case .pending:
            guard current.start.givenUpAt == nil,
                case .start(let granted) = policy.starts.next(
                    tries: current.start.tries, leaseIsOut: current.start.isLeased(now), sent: sent)
            else { return [] }
            lease = granted
        case .active:
            // The old one goes on until the new one's token is there.
            guard current.isToBeRenewed, let since = current.shownSince,
                case .renew(let granted) = policy.renewal.next(
                    age: now - since, phase.play, isMarked: true, tries: current.start.tries,
                    leaseIsOut: current.start.isLeased(now), sent: sent, policy.starts)
            else { return [] }
            lease = granted
        case .ended: return []
        }
        let until = now + lease
        changeCurrent {
            if $0.status == .active { $0.renewalStartID = start } else { $0.startID = start }
            if $0.status == .pending { $0.start.sent += 1 }
            $0.start.tries += 1
            $0.start.sentAt = now
            $0.start.leaseUntil = until
        }
        return current.status == .active
            ? [.renewalPush(start, to: token, leaseUntil: until)] : [.startPush(start, to: token, leaseUntil: until)]
    }

    /// Leases the ends that may go out now.
    mutating func endDue(_ now: Moment, _ policy: ModelPolicy) -> [LifeIntent] {
        var intents: [LifeIntent] = []
        for place in generations.indices {
            guard case .due(let dismissal, let lease) = generations[place].endPush,
                let token = generations[place].token, lease.map({ $0 <= now }) ?? true
            else { continue }
            generations[place].endPush = .due(dismissal, leaseUntil: now + policy.endLease)
            intents.append(.endPush(token, dismissal))
        }
        return intents
    }
}
