import Activities
import SightscreenModels

/// Makes real events of the table's, and the table's states of real ones. Of each state the first life that reaches it
/// stands for it.
struct LifeWalk {
    typealias State = LifeTable.State

    struct Place {
        var life = LifeModel()
        var now = Moment(seconds: 1_000_000)
    }

    /// What the table leaves open: an abstract state for a life, or nil when it is not one of the table's.
    static func state(of life: LifeModel, _ now: Moment) -> State? {
        let owed = life.generations.filter { $0.endPush.isDue }
        guard owed.count <= 1 else { return nil }
        var state = State()
        state.isFollowed = life.isFollowed
        state.phase = life.phase
        state.allows = life.phone.allowsActivities
        state.hasStartToken = life.phone.startToken != nil
        state.current = current(life, now)
        if case .due(let dismissal, _) = owed.first?.endPush { state.owed = dismissal == .now ? .now : .linger }
        let ended = life.generations.filter { $0.status == .ended }
        state.card = life.generations.first?.card
        state.reason = ended.max { ($0.endedAt ?? now) < ($1.endedAt ?? now) }?.reason
        return state
    }

    private static func current(_ life: LifeModel, _ now: Moment) -> LifeTable.Current {
        guard let current = life.current else { return .none }
        let start = current.start
        if current.status == .active {
            return start.isLeased(now) ? .renewing : current.isToBeRenewed ? .old : .active
        }
        if start.givenUpAt != nil { return .givenUp }
        if start.isLeased(now) { return .leased(start.tries) }
        return start.tries >= ModelStarts.triesMax ? .givenUp : .free(start.tries)
    }

    private static func pass(_ event: LifeTable.Event, at place: inout Place) -> LifeEvent? {
        let current = place.life.current
        let isOld = current?.isToBeRenewed == true
        switch event {
        case .passLater:
            // It would be eight hours old.
            guard !isOld else { return nil }
            place.now = place.now + .seconds(1_200)
        case .passOld, .passAncient:
            guard let since = current?.shownSince ?? current?.createdAt, event == .passAncient || !isOld else {
                return nil
            }
            let age = event == .passOld ? 7 * 3_600 + 50 * 60 : 8 * 3_600 + 60
            place.now = max(place.now, since + .seconds(age))
        default: break
        }
        return .passDue
    }

    private static func isAboutToken(_ event: LifeTable.Event) -> Bool {
        switch event {
        case .firstToken, .sameToken, .rotatedToken, .otherActivity, .endedToken, .strangeToken: true
        default: false
        }
    }

    /// - Returns: nil when there is nothing that the event could be about.
    static func event(_ event: LifeTable.Event, at place: inout Place) -> LifeEvent? {
        let life = place.life
        let current = life.current
        let ended = life.generations.first { $0.status == .ended && $0.activityID != nil && $0.token != nil }
        let fresh = String(place.now.milliseconds, radix: 16)
        let new = UpdateToken("t" + fresh)
        let start = (current?.status == .active ? current?.renewalStartID : current?.startID) ?? StartID("none")
        let startToken = life.phone.startToken ?? PushToStartToken("s0")
        if life.phase == .ended, isAboutToken(event) {
            // What is left to see is short; and an id is needed to tell what it is of.
            guard place.now < life.phaseSince + .seconds(800), current == nil || current?.startID != nil else {
                return nil
            }
        }
        switch event {
        case .follow: return .followed(startsLocally: false)
        case .followLocally: return .followed(startsLocally: true)
        case .unfollow: return .unfollowed
        case .firstToken:
            guard current?.status != .active else { return nil }
            return .tokenReported(new, activity: ActivityID("a" + fresh), start: current?.startID)
        case .sameToken:
            guard let current, current.status == .active, let token = current.token else { return nil }
            return .tokenReported(token, activity: current.activityID, start: current.startID)
        case .rotatedToken:
            guard let current, current.status == .active else { return nil }
            return .tokenReported(new, activity: current.activityID, start: nil)
        case .otherActivity:
            guard current?.status == .active else { return nil }
            return .tokenReported(new, activity: ActivityID("a" + fresh), start: current?.startID)
        case .endedToken:
            guard let ended else { return nil }
            return .tokenReported(new, activity: ended.activityID, start: ended.startID)
        case .strangeToken: return .tokenReported(new, activity: ActivityID("a" + fresh), start: nil)
        case .tokenTaken:
            guard let token = (life.generations.first { $0.endPush.isDue } ?? current)?.token else { return nil }
            guard current?.token == nil || current?.token == token else { return nil }
            return .tokenTaken(token)
        case .dismissCurrent:
            guard let current else { return nil }
            // Whether a start is out has to be what the state says.
            let isLeased = current.start.isLeased(place.now)
            let isOut = current.start.sentAt != nil || isLeased
            let seemsOut = current.start.tries > 0 || isLeased || current.start.givenUpAt != nil
            guard current.status == .active || isOut == seemsOut else { return nil }
            return .dismissed(activity: current.activityID ?? ActivityID("a" + fresh), token: nil)
        case .dismissEnded:
            guard let ended, life.generations.allSatisfy({ !$0.endPush.isDue || $0.number == ended.number }) else {
                return nil
            }
            // Why it ended has to be what the state says, and the follow as old as the state knows.
            let newest = life.generations.first { $0.status == .ended }
            if ended.reason == .tokenInvalid || newest?.reason == .tokenInvalid {
                guard newest?.number == ended.number, let endedAt = ended.endedAt,
                    life.followedAt.map({ $0 <= endedAt }) ?? true
                else { return nil }
            }
            return .dismissed(activity: ended.activityID, token: nil)
        case .register: return .appRegistered(allows: true, cards: nil)
        case .registerRunning: return .appRegistered(allows: true, cards: CardReport(.there))
        case .registerWithout:
            // Old age has a test of its own.
            if let newest = life.generations.first, newest.card != nil, let since = newest.shownSince,
                let at = newest.endedAt, at - since > MissingCard.oldAge
            {
                return nil
            }
            return .appRegistered(allows: true, cards: CardReport(.absent))
        case .registerRestarted:
            return .appRegistered(allows: true, cards: CardReport(.absent, bootedAt: place.now))
        case .registerForbidding: return .appRegistered(allows: false, cards: nil)
        case .startToken: return .startTokenReported(PushToStartToken("s" + fresh))
        case .phoneLost: return .phoneLost
        case .startAccepted: return .startAnswered(start, to: startToken, .accepted)
        case .startUnknown: return .startAnswered(start, to: startToken, .unknown)
        case .startNotProcessed, .startRefused, .startTokenDead, .startTokenDeadBefore:
            guard start != StartID("none"), current?.start.isLeased(place.now) == true else { return nil }
            let before = life.phone.startTokenAt.map { $0 - .seconds(1) } ?? place.now
            switch event {
            case .startNotProcessed:
                return .startAnswered(start, to: startToken, .notProcessed(retryAfter: .seconds(15)))
            case .startRefused: return .startAnswered(start, to: startToken, .refused)
            case .startTokenDead: return .startAnswered(start, to: startToken, .tokenDead(since: place.now))
            default:
                guard life.phone.startTokenAt != nil else { return nil }
                return .startAnswered(start, to: startToken, .tokenDead(since: before))
            }
        case .updateAccepted: return .updateAnswered(current?.token ?? new, .accepted)
        case .updateUnknown: return .updateAnswered(current?.token ?? new, .unknown)
        case .updateDead: return .updateAnswered(current?.token ?? new, .tokenDead(since: nil))
        case .updateDeadBefore:
            guard let at = current?.tokenAt else { return nil }
            return .updateAnswered(current?.token ?? new, .tokenDead(since: at - .seconds(1)))
        case .endAccepted, .endRetried, .endNotSent, .endUndeliverable:
            guard let owed = life.generations.first(where: { $0.endPush.isDue }), let token = owed.token else {
                return nil
            }
            // An end that nobody needs any more has a test of its own.
            let since = max(owed.endedAt ?? place.now, owed.tokenAt ?? place.now)
            if event == .endRetried, since + .seconds(4 * 3_600) < place.now { return nil }
            let answers: [LifeTable.Event: EndAnswer] = [
                .endAccepted: .accepted, .endRetried: .retry(after: .seconds(4)), .endNotSent: .notSent,
                .endUndeliverable: .undeliverable,
            ]
            return answers[event].map { .endAnswered(token, $0) }
        case .notLive: return .matchBecame(.notLive)
        case .live: return .matchBecame(.live)
        case .inBreak: return .matchBecame(.inBreak)
        case .suspended: return .matchBecame(.suspended)
        case .stumps: return .matchBecame(.stumps)
        case .settled: return .matchBecame(.settled)
        case .ended: return .matchBecame(.ended)
        case .pass, .passLater, .passOld, .passAncient: return pass(event, at: &place)
        case .startDue: return .startDue(StartID("p" + fresh), sent: ModelStarts.Sent())
        case .startDueButSpent:
            return .startDue(StartID("p" + fresh), sent: ModelStarts.Sent(deviceHour: 6))
        case .endDue:
            place.now = place.now + .seconds(40)
            guard current == nil || current?.status == .active else { return nil }
            return .endDue
        }
    }
}
