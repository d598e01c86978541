import Activities
import SightscreenModels

/// What the user and the phone do.
extension LifeModel {
    mutating func followed(_ startsLocally: Bool, _ now: Moment, _ policy: ModelPolicy) {
        // Following again changes nothing: what ended before the follow ended before the first.
        followedAt = followedAt ?? now
        // The user asks for it: whatever became of the last one.
        for place in generations.indices { generations[place].card = nil }
        guard phase.isInPlay else { return }
        createPending(now, evenIncapable: startsLocally)
        if startsLocally { holdBack(now, policy) }
    }

    mutating func unfollowed(_ now: Moment) {
        followedAt = nil
        changeCurrent { $0.end(.unfollowed, .now, now) }
        for place in generations.indices {
            // A result that lingers is no longer to linger.
            if case .due(.linger, let lease) = generations[place].endPush {
                generations[place].endPush = .due(.now, leaseUntil: lease)
            }
        }
    }

    mutating func tokenReported(
        _ token: UpdateToken, _ activity: ActivityID?, _ start: StartID?, _ now: Moment, _ policy: ModelPolicy
    ) -> [LifeIntent] {
        // A match that ended just now may leave its result on the Lock Screen.
        let lingers = phase == .ended && now < phaseSince + policy.dismissAfter
        let rule = ActivityTokenRule(
            token: token, activityID: activity, startID: start, isFollowed: isFollowed, matchIsOver: phase == .ended)
        switch rule.action(for: records(now)) {
        case .activate(let number):
            change(number) { $0.activate(token, activity, now) }
            noteStarted()
            return [.pushState(token)]
        case .rotate(let number):
            change(number) { $0.take(token, activity, now) }
            return [.pushState(token)]
        case .keep(let number):
            // A late report of a token that was replaced may come with another name.
            change(number) { $0.name($0.activityID ?? activity) }
            return []
        case .adopt:
            // The start of a renewal is known by the generation that it renews.
            let renewed = start.flatMap { start in generations.first { $0.renewalStartID == start } }
            let found = foundCard(activity, start)
            adopt(token, activity, start, sentAt: renewed?.start.sentAt, now)
            // iOS counts on.
            if let found { changeCurrent { $0.shownSince = $0.start.sentAt ?? found.shownSince } }
            noteStarted()
            return [.pushState(token)]
        case .replace(let number):
            let renewed = generations.first { $0.number == number && $0.renewalStartID != nil }
            // One start that was delivered twice is no renewal.
            let isRenewal = start == nil || start != renewed?.startID
            change(number) { $0.end(.matchEnd, .now, now) }
            adopt(
                token, activity, start ?? renewed?.renewalStartID, sentAt: isRenewal ? renewed?.start.sentAt : nil, now)
            noteStarted()
            return [.pushState(token)]
        case .end(let number?):
            change(number) { $0.owesEnd(token, activity, lingers ? .linger : .now, now) }
        case .end(nil):
            addEnded(token, activity, start, .matchEnd, lingers ? .linger : .now, now)
        case .refuse:
            addEnded(token, activity, start, .unfollowed, .now, now)
        case .pass, .wait: break
        }
        return []
    }

    /// When a start was sent for what runs now, it was answered: the phone's start token works, unless APNs has called
    /// it dead since.
    private mutating func noteStarted() {
        guard current?.start.sentAt != nil else { return }
        phone.fallback.answered(tokenIsDead: phone.startTokenIsDead)
    }

    /// The generation whose card is there after all, under another token.
    private func foundCard(_ activity: ActivityID?, _ start: StartID?) -> ModelGeneration? {
        guard let newest = generations.first, newest.card != nil else { return nil }
        let isNamed =
            activity.map { $0 == newest.activityID } ?? false || start.map { $0 == newest.startID } ?? false
        return isNamed || activity == nil && start == nil ? newest : nil
    }

    private mutating func adopt(
        _ token: UpdateToken, _ activity: ActivityID?, _ start: StartID?, sentAt: Moment?, _ now: Moment
    ) {
        add(now) {
            $0.startID = start
            $0.start.sentAt = sentAt
            $0.activate(token, activity, now)
        }
    }

    /// A record that is over from the beginning, so that its end is owed to somebody.
    private mutating func addEnded(
        _ token: UpdateToken, _ activity: ActivityID?, _ start: StartID?, _ reason: EndReason,
        _ dismissal: EndDismissal, _ now: Moment
    ) {
        add(now) {
            $0.startID = start
            $0.take(token, activity, now)
            $0.end(reason, dismissal, now)
        }
    }

    mutating func tokenTaken(_ token: UpdateToken, _ now: Moment) {
        for place in generations.indices where generations[place].token == token {
            // An end to this token would reach the new owner's activity.
            if generations[place].status != .ended { generations[place].end(.tokenInvalid, nil, now) }
            if generations[place].endPush.isDue { generations[place].endPush = .dropped }
        }
    }

    mutating func dismissed(
        _ activity: ActivityID?, _ token: UpdateToken?, _ now: Moment
    ) -> [LifeIntent] {
        let records = records(now)
        let rule = DismissalRule(activityID: activity, token: token)
        switch rule.action(for: records) {
        case .unfollow(let number):
            // The one that was to take its place is gone: it still stands there itself.
            let stands = records.contains {
                $0.generation == number && $0.renewalStartID != nil && !rule.names($0)
            }
            change(number) { $0.end(.dismissed, stands ? .now : nil, now) }
            unfollowed(now)
            return [.unfollow]
        case .unfollowOnly(let number):
            isGone(number)
            unfollowed(now)
            return [.unfollow]
        case .record(let number?): isGone(number)
        case .record(nil): break
        }
        return []
    }

    /// From the phone: an end that still waits has nothing to end.
    private mutating func isGone(_ number: Int) {
        change(number) { if $0.endPush.isDue { $0.endPush = .dropped } }
    }
}
