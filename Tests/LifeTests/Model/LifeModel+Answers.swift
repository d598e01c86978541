import Activities
import SightscreenModels

/// What APNs says.
extension LifeModel {
    mutating func startAnswered(
        _ start: StartID, _ token: PushToStartToken, _ answer: StartAnswer, _ now: Moment, _ policy: ModelPolicy
    ) -> [LifeIntent] {
        switch answer {
        case .accepted, .unknown:
            // Only a token proves a start, and only the end of its lease that there was none.
            return []
        case .notProcessed(let wait):
            releaseStart(start, until: now + wait)
            return []
        case .refused:
            changeCurrent {
                if $0.status == .pending, $0.startID == start { $0.start.givenUpAt = now }
                // A renewal is left to the end of the activity that runs.
                if $0.status == .active, $0.renewalStartID == start { $0.start.tries = ModelStarts.triesMax }
            }
            return []
        case .tokenDead(let since):
            let isThis = phone.startToken == token
            let isAboutThis = isThis && ModelPolicy.isAbout(registered: phone.startTokenAt, since: since)
            if isAboutThis {
                phone.startToken = nil
                phone.startTokenAt = nil
                phone.deadStartToken = token
            }
            // Not believed yet: the next try is as likely to be refused.
            releaseStart(start, until: isThis && !isAboutThis ? now + policy.disbeliefWait : now)
            return isAboutThis ? [.retireStartToken(token)] : []
        }
    }

    mutating func updateAnswered(_ token: UpdateToken, _ answer: UpdateAnswer, _ now: Moment) {
        switch answer {
        case .accepted, .unknown: return
        case .tokenDead(let since):
            let before = current
            changeCurrent {
                guard $0.status == .active, $0.token == token, ModelPolicy.isAbout(registered: $0.tokenAt, since: since)
                else { return }
                $0.end(.tokenInvalid, nil, now)
                // A swipe says no more than this, so nothing is started: the phone is asked.
                $0.card = .unknown
            }
            if before != nil, current == nil { phone.reconcile.isDue = true }
        }
    }

    mutating func endAnswered(_ token: UpdateToken, _ answer: EndAnswer, _ now: Moment, _ policy: ModelPolicy) {
        for place in generations.indices where generations[place].token == token {
            guard case .due(let dismissal, _) = generations[place].endPush else { continue }
            switch answer {
            case .accepted: generations[place].endPush = .sent
            case .notSent: generations[place].endPush = .due(dismissal, leaseUntil: nil)
            case .undeliverable: generations[place].endPush = .dropped
            case .retry(let wait):
                // Owed since it ended, or since a later token of it came.
                let since = max(generations[place].endedAt ?? now, generations[place].tokenAt ?? now)
                generations[place].endPush =
                    since + policy.endUsefulFor < now ? .dropped : .due(dismissal, leaseUntil: now + wait)
            }
        }
    }

    /// The start did certainly not arrive: it does not count.
    private mutating func releaseStart(_ start: StartID, until: Moment) {
        changeCurrent {
            guard start == ($0.status == .active ? $0.renewalStartID : $0.startID) else { return }
            // None can be on the way any more.
            if $0.status == .active, $0.start.tries <= 1 { $0.renewalStartID = nil }
            if $0.status == .pending {
                $0.start.sent = max($0.start.sent - 1, 0)
                if $0.start.sent == 0 { $0.start.sentAt = nil }
            }
            $0.start.tries = max($0.start.tries - 1, 0)
            $0.start.leaseUntil = until
        }
    }
}
