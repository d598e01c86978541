import Activities
import SightscreenModels

/// What is committed: it survives every crash. Each method is one transaction.
final class LabDatabase {
    struct Match {
        var phase = ActivityPhase.notLive
        var phaseSince = World.begin
        var version = 0
        var stamp = 0
        var content = 0
        var committedAt = 0
        /// Newest last: what may still be told.
        var alerts: [Alert] = []
    }

    struct Alert {
        var id: Int
        var version: Int
        var at: Int
    }

    struct Claim: Hashable {
        var alert: Int
        var user: Int
    }

    private unowned let world: World
    private(set) var matches: [Int: Match] = [:]
    private(set) var lives: [LifeKey: ActivityLife] = [:]
    /// The keys of `lives`, so that everything happens in the same order for the same seed.
    private(set) var keys: [LifeKey] = []
    private(set) var follows: [FollowKey: Int] = [:]
    private(set) var phones: [DeviceKey: ActivityLife.Phone] = [:]
    private(set) var devices: [DeviceKey] = []
    private var startsSent: [DeviceKey: [Int]] = [:]
    private var claims: Set<Claim> = []
    /// Who holds the shard of a user, and how often that has changed.
    private(set) var shards: [(holder: Int, epoch: Int)] = [(0, 1), (1, 1)]
    /// How often a failover has lost something.
    private(set) var losses = 0
    /// Counts them.
    private(set) var changes = 0
    private var before: [Int: Match] = [:]
    private var downUntil = 0
    /// What fails right after the next version.
    var afterCommit: (() -> Void)?

    init(_ world: World) { self.world = world }

    var isUp: Bool { world.now >= downUntil }

    // MARK: - Activities

    @discardableResult
    func handle(_ key: LifeKey, _ event: ActivityEvent) -> [ActivityIntent] {
        let old = life(key)
        var life = old
        var intents: [ActivityIntent] = []
        if let bug = world.bug {
            bug.handle(event, &life, &intents, world)
        } else {
            intents = life.handle(event, at: world.moment, policy: world.policy)
        }
        guard life != old || lives[key] == nil else { return intents }
        store(key, life)
        world.note("  \(key) \(event) → \(Self.summary(life))\(intents.isEmpty ? "" : " \(intents)")")
        world.oracle.committed(key, old, life, event)
        world.coordinators[0].ring()
        world.coordinators[1].ring()
        return intents
    }

    func life(_ key: LifeKey) -> ActivityLife {
        var life = lives[key] ?? ActivityLife()
        let match = matches[key.match] ?? Match()
        life.phase = match.phase
        life.phaseSince = Moment(milliseconds: match.phaseSince)
        life.followedAt = follows[FollowKey(user: key.user, match: key.match)].map { Moment(milliseconds: $0) }
        life.phone = phones[key.owner] ?? ActivityLife.Phone()
        return life
    }

    private func store(_ key: LifeKey, _ life: ActivityLife) {
        changes += 1
        if lives[key] == nil {
            keys.append(key)
            keys.sort()
        }
        lives[key] = life
        addDevice(key.owner)
        phones[key.owner] = life.phone
        follows[FollowKey(user: key.user, match: key.match)] = life.followedAt?.milliseconds
    }

    func addDevice(_ key: DeviceKey) {
        guard phones[key] == nil else { return }
        phones[key] = ActivityLife.Phone()
        devices.append(key)
        devices.sort()
    }

    func devices(of user: Int) -> [Int] { devices.filter { $0.user == user }.map(\.device) }

    func follow(_ user: Int, _ match: Int) {
        let key = FollowKey(user: user, match: match)
        follows[key] = follows[key] ?? world.now
    }

    func unfollow(_ user: Int, _ match: Int) { follows[FollowKey(user: user, match: match)] = nil }

    func changePhone(_ key: DeviceKey, _ body: (inout ActivityLife.Phone) -> Void) {
        addDevice(key)
        body(&phones[key, default: ActivityLife.Phone()])
    }

    // MARK: - Starts

    func startsSent(_ key: DeviceKey) -> StartPolicy.Sent {
        let sent = startsSent[key] ?? []
        return StartPolicy.Sent(
            deviceHour: sent.count { $0 > world.now - 3_600_000 },
            deviceDay: sent.count { $0 > world.now - 86_400_000 }, userDay: 0)
    }

    func noteStart(_ key: DeviceKey) { startsSent[key, default: []].append(world.now) }
    func forgetStart(_ key: DeviceKey) { _ = startsSent[key]?.popLast() }

    // MARK: - Matches

    func match(_ id: Int) -> Match { matches[id] ?? Match() }
    var matchIDs: [Int] { matches.keys.sorted() }

    func commit(_ id: Int, content: Int, phase: ActivityPhase, alert: Bool) -> Bool {
        var match = match(id)
        let stamp = nextStamp(match.stamp)
        guard stamp <= world.seconds + 1 else { return false }
        before[id] = match
        match.version += 1
        match.stamp = stamp
        match.content = content
        match.committedAt = world.now
        if alert {
            match.alerts = (match.alerts + [Alert(id: world.unique(), version: match.version, at: world.now)]).suffix(3)
        }
        world.note(
            "match \(id): version \(match.version), stamp \(stamp - World.begin / 1_000), content \(content)\(alert ? ", alert" : "")"
        )
        world.oracle.stamped(id, stamp)
        change(id, &match, to: phase)
        afterCommit?()
        return true
    }

    /// The stamp of a repetition of the newest state.
    func takeStamp(_ id: Int) -> Int? {
        var match = match(id)
        guard match.stamp < world.seconds + 1 else { return nil }
        match.stamp = nextStamp(match.stamp)
        world.oracle.stamped(id, match.stamp)
        matches[id] = match
        return match.stamp
    }

    private func nextStamp(_ last: Int) -> Int {
        if world.bug == .stampsCountOn { return last == 0 ? world.seconds - 3_600 : last + 1 }
        return max(last + 1, world.seconds)
    }

    func setPhase(_ id: Int, _ phase: ActivityPhase) {
        var match = match(id)
        change(id, &match, to: phase)
    }

    private func change(_ id: Int, _ match: inout Match, to phase: ActivityPhase) {
        let isNew = phase != match.phase
        if isNew {
            changes += 1
            world.note("match \(id) is \(phase)")
            match.phase = phase
            match.phaseSince = world.now
        }
        // The lives learn it before the row says it, as an event.
        if isNew { for key in keys where key.match == id { tellPhase(key, phase) } }
        matches[id] = match
        world.oracle.published(id)
        for coordinator in world.coordinators { coordinator.ring() }
    }

    private func tellPhase(_ key: LifeKey, _ phase: ActivityPhase) { handle(key, .matchBecame(phase)) }

    // MARK: - Alerts, shards, failures

    func claim(_ alert: Int, user: Int) -> Bool { claims.insert(Claim(alert: alert, user: user)).inserted }

    func takeShard(_ shard: Int, by holder: Int) {
        shards[shard] = (holder, shards[shard].epoch + 1)
        world.note("coordinator \(holder) takes shard \(shard), epoch \(shards[shard].epoch)")
    }

    /// Down for a while; with a loss the newest version of each match is gone afterwards.
    func fail(for wait: Int, loses: Bool) {
        downUntil = max(downUntil, world.now + wait)
        world.noteFault(until: downUntil)
        world.note("the database is away for \(wait) ms\(loses ? " and loses the newest version" : "")")
        guard loses else { return }
        var lost = false
        for (id, match) in before.sorted(by: { $0.key < $1.key }) {
            // What has changed since by other hands than the bus's cannot be taken back alone.
            guard let current = matches[id], current.version == match.version + 1, current.phase == match.phase,
                world.now - current.committedAt < 1_500
            else { continue }
            matches[id] = match
            lost = true
        }
        before = [:]
        if lost { losses += 1 }
    }

    static func summary(_ life: ActivityLife) -> String {
        let generations = life.generations.prefix(3).map { generation in
            let token = generation.token.map { " \($0.rawValue)" } ?? ""
            let reason = generation.reason.map { " \($0.rawValue)" } ?? ""
            let tries = generation.start.tries > 0 ? " try \(generation.start.tries)" : ""
            let end = generation.endPush == .none ? "" : " end \(generation.endPush)"
            return "#\(generation.number) \(generation.status)\(reason)\(token)\(tries)\(end)"
        }
        return (life.isFollowed ? "followed " : "not followed ") + "[" + generations.joined(separator: "; ") + "]"
    }
}
