import Activities

/// What named schedules are written with: match 1 is in play from the first minute on, a version every 20 s.
final class Script {
    let world: World
    let end: Int

    /// - Parameters:
    ///   - users: one phone for each.
    ///   - minutes: how long it takes, before the last fault is over.
    init(
        _ bug: PlantedBug?, isTraced: Bool, users: [Int] = [0], minutes: Int, every: Int = 20, breaks: [(Int, Int)] = []
    ) {
        world = World(seed: 1, bug: bug, isTraced: isTraced)
        end = World.begin + minutes * 60_000
        for (number, user) in users.enumerated() {
            let phone = SimulatedPhone(world, number: number, user: user)
            phone.answersSilent = false
            world.phones.append(phone)
        }
        world.database.setPhase(1, .notLive)
        world.orchestrator.begin()
        for (number, phone) in world.phones.enumerated() { at(1 + number) { [unowned phone] in phone.install() } }
        at(60) { $0.bus.play(1) { $0.phase = .live } }
        for second in stride(from: 60 + every, to: minutes * 60, by: every) {
            if breaks.contains(where: { $0.0 <= second && second < $0.1 }) { continue }
            at(second) { if $0.bus.truth(1).phase.isInPlay { $0.bus.play(1) } }
        }
    }

    var phone: SimulatedPhone { world.phones[0] }

    /// Seconds from the beginning.
    func at(_ second: Int, _ body: @escaping (World) -> Void) {
        world.at(World.begin + second * 1_000) { [unowned world] in body(world) }
    }

    func at(_ second: Int, _ body: @escaping () -> Void) { world.at(World.begin + second * 1_000, body) }

    func follow(_ second: Int, phone number: Int = 0, locally: Bool = false) {
        at(second) { $0.phones[number].follow(1, locally: locally) }
    }

    func become(_ second: Int, _ phase: ActivityPhase) {
        at(second) {
            $0.bus.play(1) {
                $0.phase = phase
                $0.waitsUntil = nil
                $0.isDecided = phase == .settled
            }
        }
    }

    /// Every phone shows what it should, at the next moment at which no version is on its way.
    func expectRight(_ second: Int) {
        at(second + (35 - second % 20) % 20) { Quiescence.checkPhones($0, "at \(second) s") }
    }

    func expect(_ second: Int, _ text: String, _ condition: @escaping (World) -> Bool) {
        at(second) { if !condition($0) { $0.fail("expected", text) } }
    }

    func expectShown(_ second: Int, _ count: Int, phone number: Int = 0) {
        expect(second, "phone \(number) shows \(count)") { $0.phones[number].running(1).count == count }
    }

    /// What becomes of the first so many pushes of a kind from then on.
    func fate(_ kind: LabPush.Kind, from second: Int = 0, first count: Int, _ fate: SimulatedAPNs.Fate) {
        var left = count
        let before = world.apns.fate
        let begin = World.begin + second * 1_000
        world.apns.fate = { [unowned world] push in
            guard push.kind == kind, world.now >= begin, left > 0 else { return before?(push) }
            left -= 1
            return fate
        }
    }

    func run() -> World {
        world.run(until: end)
        world.apns.fate = nil
        Quiescence.finish(world)
        return world
    }
}
