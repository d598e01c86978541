import Activities
import SightscreenModels

/// Starts, ends, and what is left when starts do not help. What is claimed is committed before it leaves.
extension LabCoordinator {
    func sendStart(_ key: LifeKey) {
        let life = world.database.life(key)
        guard let current = life.current, current.status == .pending || current.isToBeRenewed else { return }
        guard world.database.match(key.match).version > 0 else { return }
        guard world.bug == .nothingIsRenewed ? current.status == .pending : true else { return }
        let sent =
            world.bug == .noBoundPerHour ? StartPolicy.Sent() : world.database.startsSent(key.owner)
        let event = ActivityEvent.startDue(StartID("p\(world.unique())"), sent: sent)
        for intent in world.database.handle(key, event) {
            switch intent {
            case .startPush(let start, let token, let until, let expiry),
                .renewalPush(let start, let token, let until, let expiry):
                world.database.noteStart(key.owner)
                var push = LabPush(kind: .start, key: key)
                push.generation = current.number
                push.start = start
                push.startToken = token
                push.leaseUntil = until.milliseconds
                push.expiry = world.bug == .startsDoNotExpire ? .max : expiry.milliseconds
                prepareStart(push)
            case .endPush, .pushState, .silentPush, .visiblePush, .unfollow, .retireStartToken:
                passOn(intent, key)
            }
        }
    }

    private func prepareStart(_ push: LabPush) {
        world.aboutToLeave?(push, self)
        // A crash here: the lease stands.
        after(world.random.below(60)) { [unowned self] in
            guard world.database.isUp, trusts(push.key) else { return releaseStart(push, .milliseconds(500)) }
            var push = push
            let match = world.database.match(push.key.match)
            push.stamp = match.stamp
            if world.seconds - match.stamp > StampRule.ageMax {
                guard let stamp = world.database.takeStamp(push.key.match) else {
                    return releaseStart(push, .seconds(1))
                }
                push.stamp = stamp
            }
            push.version = match.version
            push.content = match.content
            push.epoch = world.database.losses
            // What a reader of changes has learnt meanwhile.
            let life = world.database.life(push.key)
            let isWanted =
                life.isFollowed && (life.current?.startID == push.start || life.current?.renewalStartID == push.start)
            guard isWanted || world.bug == .startsIgnoreTheFollow || world.bug == .pausedSenderTrustsOn else {
                return releaseStart(push, .milliseconds(500))
            }
            leaveStart(push)
        }
    }

    private func leaveStart(_ push: LabPush) {
        let mine = incarnation
        world.oracle.begins(push, by: number)
        world.apns.send(push) { [unowned self] answer in
            guard mine == incarnation else { return }
            after(0) { [unowned self] in startAnswered(push, answer) }
        }
    }

    private func startAnswered(_ push: LabPush, _ answer: LabAnswer) {
        guard let start = push.start, let token = push.startToken else { return }
        // Unwritten, the lease stands.
        guard world.database.isUp, holds(push.key) else { return }
        switch answer {
        case .accepted: world.database.handle(push.key, .startAnswered(start, to: token, .accepted))
        case .unknown:
            if world.bug == .unknownStartsAreRepeated { return releaseStart(push, .seconds(1)) }
            world.database.handle(push.key, .startAnswered(start, to: token, .unknown))
        case .trouble: releaseStart(push, .seconds(15))
        case .dead(let since):
            world.oracle.startResolved(push)
            world.database.forgetStart(push.key.owner)
            world.database.handle(
                push.key,
                .startAnswered(start, to: token, .tokenDead(since: since.map { Moment(milliseconds: $0) })))
        }
    }

    private func releaseStart(_ push: LabPush, _ wait: Duration) {
        guard let start = push.start, let token = push.startToken, world.database.isUp, holds(push.key) else { return }
        if world.bug != .unknownStartsAreRepeated { world.oracle.startResolved(push) }
        world.database.forgetStart(push.key.owner)
        world.database.handle(push.key, .startAnswered(start, to: token, .notProcessed(retryAfter: wait)))
    }

    // MARK: - Ends

    func sendEnds(_ key: LifeKey) {
        guard let life = world.database.lives[key], life.generations.contains(where: { $0.endPush.isDue }) else {
            return
        }
        for intent in world.database.handle(key, .endDue) {
            guard case .endPush(let token, let dismissal) = intent else { continue }
            var push = LabPush(kind: .end, key: key)
            push.token = token
            push.lingers = dismissal == .linger
            push.generation = life.generations.first { $0.token == token }?.number ?? 0
            if world.bug == .crashesLoseEnds { world.database.handle(key, .endAnswered(token, .accepted)) }
            // An update that overtakes the end would come after it.
            if busy[token] != nil { endsWaiting[token] = push } else { leave(push) }
        }
    }

    /// Nothing is under way to it any more: the end that waited for that leaves.
    func becameFree(_ token: UpdateToken) {
        busy[token] = nil
        if let end = endsWaiting.removeValue(forKey: token) { return leave(end) }
        look(in: 1 + world.random.below(20))
    }

    private func leave(_ push: LabPush) {
        guard let token = push.token else { return }
        busy[token] = 0
        after(world.random.below(40)) { [unowned self] in
            // It may have waited: by now the token can be somebody else's.
            let isOwed = world.database.lives[push.key]?.generations.contains {
                $0.token == token && ($0.endPush.isDue || world.bug == .crashesLoseEnds)
            }
            guard trusts(push.key), isOwed == true else { return becameFree(token) }
            var push = push
            let match = world.database.match(push.key.match)
            push.stamp = match.stamp
            push.version = match.version
            push.content = match.content
            push.epoch = world.database.losses
            push.expiry = world.now + 4 * 3_600_000
            world.oracle.begins(push, by: number)
            let mine = incarnation
            world.apns.send(push) { [unowned self] answer in
                guard mine == incarnation else { return }
                after(0) { [unowned self] in endAnswered(push, token, answer) }
            }
        }
    }

    private func endAnswered(_ push: LabPush, _ token: UpdateToken, _ answer: LabAnswer) {
        defer { becameFree(token) }
        guard world.database.isUp, holds(push.key) else { return }
        let verdict: EndVerdict =
            switch answer {
            case .accepted: .accepted
            case .unknown: .again(after: .seconds(2))
            case .trouble: .again(after: .seconds(4))
            case .dead: .undeliverable
            }
        if case .again = verdict { look(in: 4_100) }
        world.database.handle(push.key, .endAnswered(token, verdict))
    }

    /// What the orchestrator's look asks for.
    func passOn(_ intent: ActivityIntent, _ key: LifeKey) {
        switch intent {
        case .silentPush, .visiblePush:
            let push = LabPush(kind: intent == .silentPush ? .silent : .visible, key: key)
            world.oracle.begins(push, by: number)
            world.apns.send(push) { _ in }
        case .startPush, .renewalPush, .endPush, .pushState, .unfollow, .retireStartToken: break
        }
    }
}
