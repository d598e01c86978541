import Activities

/// Two orchestrators that look at everything, at times both at once.
final class LabOrchestrator {
    static let resultHold = 300_000
    static let interval = 30_000

    private unowned let world: World
    private var calledOff: [Int: Int] = [:]
    private var wasBusy = false
    private var changesSeen = -1
    private var lookedAt = 0
    private var incarnation = 0

    init(_ world: World) { self.world = world }

    func begin() { schedule(incarnation, in: world.random.below(Self.interval)) }

    func crash(for wait: Int) {
        incarnation += 1
        world.note("orchestrator crashes")
        world.noteFault(until: world.now + wait)
        schedule(incarnation, in: wait)
    }

    private func schedule(_ mine: Int, in wait: Int) {
        world.after(wait) { [unowned self] in
            guard mine == incarnation else { return }
            if !isIdle { look() }
            // Another replica, in the middle of the same pass.
            if world.random.perMille(50) { world.after(world.random.below(2_000)) { [unowned self] in look() } }
            schedule(mine, in: Self.interval)
        }
    }

    /// Nothing has changed and nothing can happen by itself: such a pass would do nothing, and is left out to save time.
    private var isIdle: Bool {
        !wasBusy && world.database.changes == changesSeen && world.now < lookedAt + 120_000
    }

    private func look() {
        guard world.database.isUp else { return }
        let database = world.database
        (changesSeen, lookedAt) = (database.changes, world.now)
        var isBusy = false
        for match in database.matchIDs {
            let row = database.match(match)
            if row.phase == .settled, world.now - row.phaseSince >= Self.resultHold {
                database.setPhase(match, .ended)
            }
            seeCalledOff(match)
            isBusy = isBusy || row.phase == .settled || world.bus.truth(match).isCalledOff && row.phase != .ended
        }
        for key in neededKeys() {
            for intent in database.handle(key, .passDue) { world.coordinators[key.user % 2].passOn(intent, key) }
            let life = database.life(key)
            let current = life.current
            isBusy =
                isBusy || current?.status == .pending || current?.isToBeRenewed == true
                || current == nil && life.shouldExist && life.phone.isCapable
                || life.generations.contains { $0.endPush.isDue }
        }
        for coordinator in world.coordinators { coordinator.ring() }
        wasBusy = isBusy
    }

    private func seeCalledOff(_ match: Int) {
        guard world.bus.truth(match).isCalledOff else { return calledOff[match] = nil }
        calledOff[match, default: 0] += 1
        if calledOff[match, default: 0] >= 2, world.database.match(match).phase != .ended {
            world.database.setPhase(match, .ended)
        }
    }

    /// Every phone of every follower, and what else is on record.
    private func neededKeys() -> [LifeKey] {
        let database = world.database
        var keys = database.keys
        for follow in database.follows.keys {
            for device in database.devices(of: follow.user) {
                let key = LifeKey(match: follow.match, user: follow.user, device: device)
                if database.lives[key] == nil { keys.append(key) }
            }
        }
        return keys.count == database.keys.count ? keys : keys.sorted()
    }
}
