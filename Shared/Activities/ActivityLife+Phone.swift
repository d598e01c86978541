import Sightscreen

/// What the app registers, and what becomes of a phone that is somebody else's.
extension ActivityLife {
    mutating func appRegistered(_ allows: Bool?, _ runs: Bool, _ now: Moment, _ policy: LifePolicy) {
        phone.allowsActivities = allows ?? phone.allowsActivities
        phone.fallback.registered(token: nil)
        // Nothing that runs already is started again.
        if runs {
            if shouldExist { createPending(now, evenIncapable: true) }
            holdBack(now, policy)
        }
        resume(runs, now)
    }

    mutating func startTokenReported(_ token: PushToStartToken, _ now: Moment) {
        phone.startToken = token
        phone.startTokenAt = now
        phone.deadStartToken = nil
        phone.fallback.registered(token: token)
        resume(false, now)
    }

    mutating func phoneLost(_ now: Moment) {
        phone.startToken = nil
        phone.startTokenAt = nil
        phone.deadStartToken = nil
        phone.fallback.forgotten()
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
            if start.givenUpAt != nil || start.tries >= StartPolicy.triesMax {
                changeCurrent {
                    // Given up: that start is resolved. Not given up: it may still appear.
                    let keeps = runs || (start.givenUpAt == nil && start.isLeased(now))
                    $0.start = StartProgress(
                        sent: start.sent, sentAt: start.sentAt, leaseUntil: keeps ? start.leaseUntil : nil)
                }
            }
        }
        if shouldExist { createPending(now, evenIncapable: false) }
    }

    mutating func createPending(_ now: Moment, evenIncapable: Bool) {
        guard current == nil, phone.isCapable || evenIncapable else { return }
        add(now)
    }

    /// The phone has, or is about to have, an activity of its own: no start goes out for a while.
    mutating func holdBack(_ now: Moment, _ policy: LifePolicy) {
        guard let current, current.status == .pending else { return }
        let until = now + policy.starts.firstLease
        changeCurrent { $0.start.leaseUntil = max($0.start.leaseUntil ?? until, until) }
    }
}
