import Activities

/// A random life: matches, users, phones, and what goes wrong.
enum RandomSchedule {
    static func world(seed: UInt64, bug: PlantedBug? = nil, isTraced: Bool = false) -> World {
        let world = World(seed: seed, bug: bug, isTraced: isTraced)
        let isCalm = world.random.perMille(150)
        world.faults = isCalm ? .none : FaultPlan.random(&world.random)
        if world.random.perMille(200) { world.faults = .none }
        let users = 1 + world.random.below(2)
        let phones = users + world.random.below(2)
        for number in 0..<phones {
            let phone = SimulatedPhone(world, number: number, user: number % users)
            phone.answersSilent = world.random.perMille(500)
            phone.answersVisible = world.random.perMille(500)
            world.phones.append(phone)
        }
        let (kind, length) = MatchStory.random(&world.random)
        let matches = world.random.perMille(200) ? 2 : 1
        let stop = world.now + length / 10 + world.random.below(length)
        var first = MatchStory(world, match: 1, kind: kind, stop: stop)
        first.plan()
        if matches == 2 {
            var second = MatchStory(world, match: 2, kind: .t20, stop: stop)
            second.plan()
        }
        world.database.setPhase(1, .notLive)
        if matches == 2 { world.database.setPhase(2, .notLive) }
        world.orchestrator.begin()
        for phone in world.phones { world.after(world.random.below(60_000)) { [unowned phone] in phone.install() } }
        planUsers(world, matches, stop)
        if !isCalm { planFaults(world, stop) }
        world.run(until: stop)
        Quiescence.finish(world)
        return world
    }

    /// A moment, more often at the beginning and in clusters than evenly.
    private static func moment(_ world: World, _ stop: Int) -> Int {
        let span = stop - World.begin
        let early = min(span, 90 * MatchStory.minute)
        let wait = world.random.perMille(600) ? world.random.below(early) : world.random.below(span)
        return min(stop - 1, World.begin + 61_000 + wait)
    }

    private static func planUsers(_ world: World, _ matches: Int, _ stop: Int) {
        for phone in world.phones where world.random.perMille(900) {
            let match = 1 + world.random.below(matches)
            let locally = world.random.perMille(400)
            world.at(World.begin + 61_000 + world.random.below(40 * MatchStory.minute)) { [unowned phone] in
                phone.follow(match, locally: locally)
            }
        }
        for phone in world.phones where world.random.perMille(100) {
            world.at(moment(world, stop)) { [unowned phone] in phone.restart() }
        }
        for _ in 0..<(2 + world.random.below(14)) {
            let phone = world.random.pick(world.phones)
            let match = 1 + world.random.below(matches)
            let time = moment(world, stop)
            switch world.random.below(22) {
            case 0...4:
                let locally = world.random.perMille(400)
                world.at(time) { [unowned phone] in phone.follow(match, locally: locally) }
            case 5...6:
                let ends = world.random.perMille(500)
                world.at(time) { [unowned phone] in phone.unfollow(match, endsItself: ends) }
            case 7...8: world.at(time) { [unowned phone] in hesitate(phone, match) }
            case 9...10:
                let reports = world.random.perMille(900)
                world.at(time) { [unowned phone] in
                    if let activity = phone.running(match).last { phone.dismiss(activity, reports: reports) }
                }
            case 11...14: world.at(time) { [unowned phone] in phone.open() }
            case 15...16:
                world.at(time) { [unowned phone] in
                    if let activity = phone.running(match).last { phone.rotateToken(activity) }
                }
            case 17: world.at(time) { [unowned phone] in phone.rotateStartToken() }
            case 18:
                world.at(time) { [unowned phone] in
                    phone.setAllows(!phone.allows)
                }
                world.at(time + world.random.below(30 * MatchStory.minute)) { [unowned phone] in phone.setAllows(true) }
            case 19: world.at(time) { [unowned phone] in phone.install() }
            case 20:
                let user = world.random.below(3)
                world.at(time) { [unowned phone] in phone.switchAccount(to: user) }
            default:
                world.at(time) { [unowned phone] in
                    phone.follow(match, locally: true)
                    phone.open()
                }
            }
        }
    }

    /// Follow, unfollow, follow within moments.
    private static func hesitate(_ phone: SimulatedPhone, _ match: Int) {
        let world = phone.world
        for step in 0..<(2 + world.random.below(3)) {
            world.after(step * (20 + world.random.below(2_000))) { [unowned phone] in
                if step % 2 == 0 {
                    phone.follow(match, locally: false)
                } else {
                    phone.unfollow(match, endsItself: false)
                }
            }
        }
    }

    private static func planFaults(_ world: World, _ stop: Int) {
        for _ in 0..<world.random.below(8) {
            let time = moment(world, stop)
            switch world.random.below(12) {
            case 0...2:
                let coordinator = world.coordinators[world.random.below(2)]
                let wait = 100 + world.random.below(20_000)
                world.at(time) { [unowned coordinator] in coordinator.crash(for: wait) }
            case 3...4:
                let coordinator = world.coordinators[world.random.below(2)]
                let wait = 500 + world.random.below(world.random.perMille(500) ? 5_000 : 120_000)
                world.at(time) { [unowned coordinator] in coordinator.pause(for: wait) }
            case 5:
                let wait = 1_000 + world.random.below(90_000)
                world.at(time) { [unowned world] in world.orchestrator.crash(for: wait) }
            case 6:
                let wait = 500 + world.random.below(20_000)
                world.at(time) { [unowned world] in
                    world.database.fail(for: wait, loses: false)
                }
            case 7...8:
                let wait = 3_000 + world.random.below(10_000)
                world.at(time) { [unowned world] in world.failOver(match: 1, for: wait) }
            case 9:
                // Everything at once.
                let wait = 200 + world.random.below(5_000)
                world.at(time) { [unowned world] in
                    world.coordinators[0].crash(for: wait)
                    world.coordinators[1].crash(for: wait)
                    world.orchestrator.crash(for: wait)
                }
            default:
                let phone = world.random.pick(world.phones)
                let wait = 5_000 + world.random.below(world.random.perMille(500) ? 120_000 : 3 * MatchStory.hour)
                let isAsleep = world.random.perMille(300)
                world.at(time) { [unowned phone] in
                    if isAsleep { return phone.outbox.block(for: min(wait, 1_800_000)) }
                    phone.setOnline(false)
                    phone.world.noteFault()
                }
                world.at(time + wait) { [unowned phone] in phone.setOnline(true) }
            }
        }
    }
}

extension World {
    /// The database fails over just after a version was committed, and loses it.
    func failOver(match: Int, for wait: Int) {
        database.afterCommit = { [unowned self] in
            database.afterCommit = nil
            after(50 + random.below(1_000)) { [unowned self] in
                database.fail(for: wait, loses: true)
                after(wait) { [unowned self] in
                    bus.lookAgain()
                    for coordinator in coordinators { coordinator.ring() }
                }
            }
        }
        bus.play(match)
    }
}

extension SimulatedPhone {
    /// In the system's settings: without leave nothing is shown.
    func setAllows(_ allows: Bool) {
        guard allows != self.allows else { return }
        self.allows = allows
        if !allows { endAll(why: "not allowed") }
        open()
    }
}
