import Sightscreen

/// What APNs says.
extension ActivityLife {
    mutating func startAnswered(
        _ start: StartID, _ token: PushToStartToken, _ verdict: StartVerdict, _ now: Moment, _ policy: LifePolicy
    ) -> [ActivityIntent] {
        switch verdict {
        case .accepted, .unknown:
            // Only a token proves a start, and only the end of its lease that there was none.
            return []
        case .notProcessed(let wait):
            releaseStart(start, until: now + wait)
            return []
        case .refused:
            changeCurrent { if $0.status == .pending, $0.startID == start { $0.start.givenUpAt = now } }
            return []
        case .tokenDead(let since):
            let isThis = phone.startToken == token
            let isAboutThis = isThis && policy.isAbout(registered: phone.startTokenAt, since: since, now)
            if isAboutThis {
                phone.startToken = nil
                phone.startTokenAt = nil
                phone.startTokenIsDead = true
            }
            // Not believed yet: the next try is as likely to be refused.
            releaseStart(start, until: isThis && !isAboutThis ? now + policy.disbeliefWait : now)
            return isAboutThis ? [.retireStartToken(token)] : []
        }
    }

    mutating func updateAnswered(_ token: UpdateToken, _ verdict: UpdateVerdict, _ now: Moment, _ policy: LifePolicy) {
        switch verdict {
        case .accepted, .unknown: return
        case .tokenDead(let since):
            changeCurrent {
                guard $0.status == .active, $0.token == token, policy.isAbout(registered: $0.tokenAt, since: since, now)
                else { return }
                $0.end(.tokenInvalid, nil, now)
            }
        }
    }

    mutating func endAnswered(_ token: UpdateToken, _ verdict: EndVerdict, _ now: Moment) {
        for place in generations.indices where generations[place].token == token {
            guard case .due(let dismissal, _) = generations[place].endPush else { continue }
            switch verdict {
            case .accepted: generations[place].endPush = .sent
            case .undeliverable: generations[place].endPush = .dropped
            case .again(let wait): generations[place].endPush = .due(dismissal, leaseUntil: now + wait)
            }
        }
    }

    /// The start did certainly not arrive: it does not count.
    private mutating func releaseStart(_ start: StartID, until: Moment) {
        changeCurrent {
            guard $0.startID == start || $0.renewalStartID == start else { return }
            $0.start.tries = max($0.start.tries - 1, 0)
            $0.start.leaseUntil = until
        }
    }
}
