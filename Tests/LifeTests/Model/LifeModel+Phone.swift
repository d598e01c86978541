import Activities
import SightscreenModels

/// What the app registers, and what becomes of a phone that is somebody else's.
extension LifeModel {
    mutating func appRegistered(_ allows: Bool?, _ cards: CardReport?, _ now: Moment, _ policy: ModelPolicy) {
        phone.allowsActivities = allows ?? phone.allowsActivities
        phone.fallback.registered(token: nil)
        phone.reconcile.isDue = false
        if let cards { explain(cards, now) }
        let runs = cards?.card == .there
        // Nothing that runs already is started again.
        if runs {
            if shouldExist, !isMissing { createPending(now, evenIncapable: true) }
            holdBack(now, policy)
        }
        resume(runs, now)
    }

    /// What became of a card whose token had died, as far as the phone's list tells.
    private mutating func explain(_ cards: CardReport, _ now: Moment) {
        guard let newest = generations.first, newest.status == .active || newest.card != nil else { return }
        let phone = phone
        change(newest.number) {
            if cards.card == .there {
                $0.seenAt = now
                // Its token is on the way.
                if $0.card != nil { $0.card = .unknown }
            } else if let activity = newest.activityID, cards.card == .ended(activity) {
                // Not by the user's hand. APNs may not have said so yet.
                if $0.status == .active { $0.end(.tokenInvalid, nil, now) }
                $0.card = nil
            } else if $0.card == .unknown, !phone.allowsActivities {
                // Forbidden: iOS has taken all away.
                $0.card = nil
            } else if $0.card == .unknown {
                let age = $0.endedAt.flatMap { ended in newest.shownSince.map { ended - $0 } }
                $0.card = CardReport.afterAbsence(bootedAt: cards.bootedAt, seenAt: newest.lastSeen, age: age)
            }
        }
    }

    mutating func startTokenReported(_ token: PushToStartToken, _ now: Moment) {
        if phone.formerStartTokens.contains(token) {
            // All it says is that the app is awake.
            phone.fallback.registered(token: nil)
        } else {
            if let last = phone.startToken ?? phone.deadStartToken, last != token {
                phone.formerStartTokens = (phone.formerStartTokens + [last]).suffix(Phone.formerStartTokensMax)
            }
            phone.startToken = token
            phone.startTokenAt = now
            phone.deadStartToken = nil
            phone.fallback.registered(token: token)
        }
        resume(false, now)
    }

    mutating func phoneLost(_ now: Moment) {
        phone.startToken = nil
        phone.startTokenAt = nil
        phone.deadStartToken = nil
        phone.fallback.forgotten()
        // The app took it off, whatever APNs has said of its token.
        for place in generations.indices { generations[place].card = nil }
        changeCurrent { $0.end(.tokenInvalid, .now, now) }
    }

    /// The app is awake: a start that was given up is tried again, a missing one made.
    private mutating func resume(_ runs: Bool, _ now: Moment) {
        guard phone.isCapable else {
            // Nothing can be started there: a start that has not gone out is not tried.
            if let current, current.status == .pending,
                !current.start.isLeased(now) || current.start.givenUpAt != nil && !runs
            {
                changeCurrent { $0.end(.tokenInvalid, nil, now) }
            }
            return
        }
        if let current, current.status == .pending {
            let start = current.start
            if start.givenUpAt != nil || start.tries >= ModelStarts.triesMax {
                changeCurrent {
                    // Given up: that start is resolved. Not given up: it may still appear.
                    let keeps = runs || (start.givenUpAt == nil && start.isLeased(now))
                    $0.start = ModelStart(
                        sent: start.sent, sentAt: start.sentAt, leaseUntil: keeps ? start.leaseUntil : nil)
                }
            }
        }
        if shouldExist, !isMissing { createPending(now, evenIncapable: false) }
    }

    mutating func createPending(_ now: Moment, evenIncapable: Bool) {
        guard current == nil, phone.isCapable || evenIncapable,
            generations.count(where: { $0.start.sentAt == nil }) < ActivityTokenRule.reportedMax
        else { return }
        add(now)
    }

    /// The phone has, or is about to have, an activity of its own: no start goes out for a while.
    mutating func holdBack(_ now: Moment, _ policy: ModelPolicy) {
        guard let current, current.status == .pending else { return }
        let until = now + policy.starts.firstLease
        changeCurrent { $0.start.leaseUntil = max($0.start.leaseUntil ?? until, until) }
    }
}
