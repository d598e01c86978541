import Activities
import SightscreenModels

/// Watches everything that the outside can see, and says when something happens that must not.
final class Oracle {
    /// Seconds that a stamp may run ahead of the clock.
    private static let leadMax = 2

    unowned let world: World
    private var stamps: [Int: Int] = [:]
    /// Starts that may still appear, by phone.
    private var openStarts: [LifeKey: (start: StartID, until: Int)] = [:]
    private var startTries: [LifeKey: (generation: Int, count: Int)] = [:]
    private var startsBegun: [DeviceKey: [Int]] = [:]
    /// When a dead token's verdict was committed.
    private var verdicts: [UpdateToken: Int] = [:]
    private var endsProcessed: [UpdateToken: Int] = [:]
    private var versions: [UpdateToken: (epoch: Int, version: Int)] = [:]
    private var alertsProcessed: Set<AlertKey> = []
    private var alertedAt: [DeviceKey: Int] = [:]
    private var unfollowedAt: [FollowKey: Int] = [:]
    private var movedAt: [UpdateToken: (owner: LifeKey, at: Int)] = [:]
    private var silentAt: [DeviceKey: Int] = [:]

    private struct AlertKey: Hashable {
        var alert: Int
        var device: DeviceKey
    }

    init(_ world: World) { self.world = world }

    /// Nothing went wrong for so long.
    func isCalm(for wait: Int) -> Bool { world.calmSince <= world.now - wait }

    // MARK: - Commits

    func stamped(_ match: Int, _ stamp: Int) {
        if let last = stamps[match], stamp <= last {
            world.fail("I4", "stamp \(stamp) of match \(match) after \(last)")
        }
        if stamp > world.seconds + Self.leadMax { world.fail("I4", "stamp \(stamp) is ahead of the clock") }
        stamps[match] = stamp
    }

    func committed(_ key: LifeKey, _ old: ActivityLife, _ new: ActivityLife, _ event: ActivityEvent) {
        if new.generations.count(where: { $0.status != .ended }) > 1 {
            world.fail("I2", "\(key): two current generations")
        }
        for former in old.generations where former.status == .ended {
            guard let now = new.generations.first(where: { $0.number == former.number }) else { continue }
            if now.status != .ended || now.reason != former.reason {
                world.fail("I9", "\(key): generation \(former.number) was over and is \(now.status)")
            }
        }
        for generation in new.generations where generation.status == .ended && generation.reason == nil {
            world.fail("I9", "\(key): generation \(generation.number) ended without a reason")
        }
        if let was = old.current, was.status == .active, new.current?.number != was.number {
            judgeEnd(key, was, new, event)
        }
        checkOwner(key, new)
        if old.current != nil, new.current?.number != old.current?.number || new.current?.status == .active {
            openStarts[key] = new.current?.start.isLeased(world.moment) == true ? openStarts[key] : nil
        }
        switch event {
        case .appRegistered, .startTokenReported, .tokenReported: startTries[key] = nil
        default: break
        }
        if new.isFollowed { unfollowedAt[FollowKey(user: key.user, match: key.match)] = nil }
    }

    /// An activity ends only for a reason.
    private func judgeEnd(_ key: LifeKey, _ was: LifeGeneration, _ new: ActivityLife, _ event: ActivityEvent) {
        let ended = new.generations.first { $0.number == was.number }
        switch event {
        case .updateAnswered(let token, .tokenDead(let since)):
            let died = world.apns.diedAt(token.rawValue)
            if died == nil { world.fail("I12", "\(key): \(token.rawValue) is alive and was retired") }
            if let since, let at = was.tokenAt, since < at {
                world.fail("I11", "\(key): a verdict of before its registration retired \(token.rawValue)")
            }
        case .updateAnswered: world.fail("I12", "\(key): retired by \(event)")
        case .passDue:
            let isRight =
                new.phase.endsActivities || !new.isFollowed
                || was.shownSince.map { world.moment - $0 >= RenewalRule.activityLife } ?? false
            if !isRight { world.fail("rule", "\(key): a pass ended \(was.number) while it should exist") }
        case .startDue, .startAnswered, .endDue, .matchBecame, .followed, .startTokenReported:
            world.fail("rule", "\(key): \(event) ended generation \(was.number)")
        case .tokenReported where new.phase != .ended && new.current == nil:
            world.fail("rule", "\(key): a token ended generation \(was.number) and nothing took its place")
        case .appRegistered, .unfollowed, .tokenTaken, .dismissed, .phoneLost, .endAnswered, .tokenReported: break
        }
        if ended?.status != .ended { world.fail("I9", "\(key): generation \(was.number) is gone") }
    }

    private func checkOwner(_ key: LifeKey, _ life: ActivityLife) {
        guard let current = life.current, let token = current.token else { return }
        for (other, otherLife) in world.database.lives where other != key && otherLife.current?.token == token {
            world.fail("I14", "\(token.rawValue) is \(key)'s and \(other)'s")
        }
    }

    func unfollowed(_ user: Int, _ match: Int) {
        unfollowedAt[FollowKey(user: user, match: match)] = world.now
        let keys = world.database.keys.filter { $0.user == user && $0.match == match }
        let at = world.moment
        world.after(2_000) { [unowned self] in
            guard world.database.follows[FollowKey(user: user, match: match)] == nil else { return }
            for key in keys {
                // An update whose answer is lost holds the end back for 10 s. One that was owed before this unfollow may
                // have been leased for 30 s by who froze, and be repeated after an answer that was lost.
                let isOfNow = world.database.lives[key]?.generations.contains { $0.endedAt == at } ?? false
                guard isCalm(for: isOfNow ? 12_000 : 45_000) else { continue }
                for phone in world.phones where phone.device == key.device && phone.user == user && phone.isOnline {
                    for activity in phone.running(match) {
                        guard let at = activity.registeredAt, at < world.now - 2_000, let token = activity.token else {
                            continue
                        }
                        if endsProcessed[token] == nil {
                            world.fail("I13", "no end to \(token.rawValue) 2 s after the unfollow")
                        }
                    }
                }
            }
        }
    }

    func verdict(_ key: LifeKey, _ token: UpdateToken, since: Int?) {
        guard let current = world.database.lives[key]?.current, current.token == token else { return }
        let registered = current.tokenAt?.milliseconds ?? 0
        if since.map({ registered <= $0 }) ?? true { verdicts[token] = world.now }
    }

    func registered(_ key: LifeKey, _ token: UpdateToken) {
        verdicts[token] = nil
        // What its former owner was sent is not this one's end.
        if let moved = movedAt[token], moved.owner != key { endsProcessed[token] = nil }
        movedAt[token] = (key, world.now)
        openStarts[key] = nil
        world.after(10_000) { [unowned self] in lookAtPhone(key) }
        world.after(2_500) { [unowned self] in lookAtFlush(key, token) }
    }

    /// Ten seconds after a token there is one activity of the match at most.
    private func lookAtPhone(_ key: LifeKey) {
        guard isCalm(for: 30_000) else { return }
        for phone in world.phones where phone.device == key.device && phone.user == key.user && phone.isOnline {
            let shown = phone.running(key.match).filter {
                !$0.lostItsEnd && ($0.registeredAt ?? .max) <= world.now - 10_000
            }
            if shown.count > 1 {
                world.fail("I3", "phone \(phone.number) shows \(shown.map(\.id.rawValue)) 10 s after the token")
            }
        }
    }

    /// The newest state follows the first token at once.
    private func lookAtFlush(_ key: LifeKey, _ token: UpdateToken) {
        guard isCalm(for: 20_000), let current = world.database.lives[key]?.current, current.token == token,
            current.status == .active
        else { return }
        for phone in world.phones where phone.device == key.device && phone.onlineSince < world.now - 20_000 {
            for activity in phone.running(key.match) where activity.token == token {
                if versions[token] == nil {
                    world.fail("rule", "\(token.rawValue) got no state 2.5 s after it was registered")
                }
            }
        }
    }

    // MARK: - Pushes

    func startResolved(_ push: LabPush) {
        if openStarts[push.key]?.start == push.start {
            openStarts[push.key] = nil
            startTries[push.key]?.count -= 1
        }
        _ = startsBegun[push.key.owner]?.popLast()
    }

    /// A push leaves.
    func begins(_ push: LabPush, by sender: Int) {
        world.note(
            "coordinator \(sender) sends \(push.kind) to \(push.address), version \(push.version), stamp \(push.stamp - World.begin / 1_000)\(push.alert.map { ", alert \($0)" } ?? "")"
        )
        switch push.kind {
        case .start: startBegins(push)
        case .update: updateBegins(push)
        case .end: endBegins(push)
        // The first since the last visible one: later ones may ask about a card.
        case .silent: silentAt[push.key.owner] = silentAt[push.key.owner] ?? world.now
        case .visible:
            if silentAt[push.key.owner].map({ world.now - $0 < 120_000 }) ?? true {
                world.fail("rule", "a visible push without a silent one two minutes before it")
            }
            silentAt[push.key.owner] = nil
        }
    }

    private func checkFollow(_ push: LabPush) {
        let follow = FollowKey(user: push.key.user, match: push.key.match)
        guard world.database.follows[follow] == nil, let at = unfollowedAt[follow] else { return }
        let wasFrozen = world.coordinators.contains { world.now - $0.pausedUntil < 3_000 && $0.pausedUntil > 0 }
        if world.now - at > (wasFrozen ? 2_000 : 1_000) {
            world.fail("I13", "\(push.kind) to \(push.key) \(world.now - at) ms after the unfollow")
        }
    }

    private func startBegins(_ push: LabPush) {
        checkFollow(push)
        guard let start = push.start else { return }
        if let open = openStarts[push.key], open.until > world.now, open.start != start {
            world.fail("I3", "\(push.key): start \(start) while \(open.start) is unresolved")
        }
        if push.expiry > push.leaseUntil - 10_000 { world.fail("I3", "\(push.key): a start that outlives its lease") }
        openStarts[push.key] = (start, push.leaseUntil)
        let tries = startTries[push.key].flatMap { $0.generation == push.generation ? $0.count : nil } ?? 0
        startTries[push.key] = (push.generation, tries + 1)
        if tries + 1 > StartPolicy.triesMax {
            world.fail("A11", "\(push.key): try \(tries + 1) of generation \(push.generation)")
        }
        var begun = (startsBegun[push.key.owner] ?? []).filter { $0 > world.now - 3_590_000 }
        begun.append(world.now)
        startsBegun[push.key.owner] = begun
        if begun.count > StartPolicy.perDeviceHourMax {
            world.fail("A11", "\(push.key): \(begun.count) starts in an hour")
        }
        let phase = world.bus.truth(push.key.match).phase
        if phase == .ended || phase == .notLive, world.database.match(push.key.match).phase == .ended {
            world.fail("rule", "\(push.key): a start for a match that is over")
        }
    }

    private func updateBegins(_ push: LabPush) {
        guard let token = push.token else { return }
        checkFollow(push)
        if verdicts[token] != nil { world.fail("I10", "an update to \(token.rawValue), which is dead") }
        if let at = endsProcessed[token], world.now > at {
            world.fail("I9", "an update to \(token.rawValue) after its end")
        }
        if let moved = movedAt[token], moved.owner != push.key, world.now - moved.at > 1_000 {
            world.fail("I14", "an update of \(push.key) to \(token.rawValue), which is \(moved.owner)'s")
        }
        if let last = versions[token], last.epoch == push.epoch, push.version < last.version {
            world.fail("I6", "version \(push.version) to \(token.rawValue) after \(last.version)")
        }
        versions[token] = (push.epoch, push.version)
    }

    private func endBegins(_ push: LabPush) {
        guard let token = push.token else { return }
        if let moved = movedAt[token], moved.owner != push.key, world.now - moved.at > 1_000 {
            world.fail("I14", "an end of \(push.key) to \(token.rawValue), which is \(moved.owner)'s")
        }
        let truth = world.bus.truth(push.key.match)
        let life = world.database.lives[push.key]
        let generation = life?.generations.first { $0.number == push.generation }
        if let until = truth.waitsUntil, world.now < until, life?.current == nil, generation?.reason == .matchEnd {
            world.fail("S8", "\(push.key): an end before the super over")
        }
    }

    /// APNs took it, whatever the sender hears.
    func processed(_ push: LabPush) {
        switch push.kind {
        case .update:
            guard let alert = push.alert else { return }
            alertedAt[push.key.owner] = max(alertedAt[push.key.owner] ?? 0, alert)
            if !alertsProcessed.insert(AlertKey(alert: alert, device: push.key.owner)).inserted {
                world.fail("I7", "alert \(alert) twice to device \(push.key.device)")
            }
        case .end:
            // One that was on its way when the token became somebody else's.
            guard let token = push.token, movedAt[token].map({ $0.owner == push.key }) ?? true else { return }
            endsProcessed[token] = endsProcessed[token] ?? world.now
        case .start, .silent, .visible: break
        }
    }

    // MARK: - Versions and phones

    /// A version is there: without faults it is shown soon, with its alert.
    func published(_ match: Int) {
        let row = world.database.match(match)
        let alert = row.alerts.last.flatMap { $0.version == row.version ? $0.id : nil }
        guard row.phase.isInPlay else { return }
        world.after(8_000) { [unowned self] in lookAtVersion(match, row, alert) }
    }

    private func lookAtVersion(_ match: Int, _ row: LabDatabase.Match, _ alert: Int?) {
        guard isCalm(for: 60_000) else { return }
        for phone in world.phones where phone.onlineSince < world.now - 60_000 {
            let key = LifeKey(match: match, user: phone.user, device: phone.device)
            guard let current = world.database.lives[key]?.current, current.status == .active,
                let token = current.token,
                let at = current.tokenAt, at < Moment(milliseconds: row.committedAt - 5_000)
            else { continue }
            for activity in phone.running(match) where activity.token == token {
                if activity.epoch == world.database.losses, activity.version < row.version {
                    world.fail(
                        "I5", "phone \(phone.number) shows version \(activity.version) 8 s after version \(row.version)"
                    )
                }
                if let alert, alertedAt[key.owner].map({ $0 < alert }) ?? true {
                    world.fail("I8", "phone \(phone.number) was not told alert \(alert)")
                }
            }
        }
    }

    func shows(_ phone: SimulatedPhone, _ activity: PhoneActivity, _ push: LabPush) {
        if activity.epoch == push.epoch, push.version < activity.version {
            world.fail("I4", "phone \(phone.number) goes back from version \(activity.version) to \(push.version)")
        }
    }

    func wentStale(_ phone: SimulatedPhone, _ activity: PhoneActivity) {
        guard isCalm(for: 1_900_000), phone.onlineSince < world.now - 1_900_000, activity.registeredAt != nil,
            world.database.lives.values.contains(where: { $0.current?.token == activity.token })
        else { return }
        world.fail("S7", "phone \(phone.number): \(activity.id) went stale without any fault")
    }
}
