import Activities
import SightscreenModels

/// APNs: takes, loses, repeats and delays pushes, knows which tokens are dead and keeps one message for a phone that is off.
final class SimulatedAPNs {
    struct Address {
        var phone: Int
        var installation: Int
        var activity: PhoneActivity?
        var diedAt: Int?
    }

    /// It may go on calling a token alive for so long.
    static let lieMax = 600_000

    private unowned let world: World
    private var addresses: [String: Address] = [:]
    private var stored: [Int: [String: LabPush]] = [:]

    /// What a named schedule wants to become of a push.
    enum Fate {
        case lost
        case unknown(isProcessed: Bool)
        case trouble
        case dead(since: Int)
        /// It arrives so much later, whatever its expiry.
        case overdue(by: Int)
        /// It arrives twice.
        case repeated(after: Int)
    }
    var fate: ((LabPush) -> Fate?)?

    init(_ world: World) { self.world = world }

    func register(_ token: String, phone: SimulatedPhone, activity: PhoneActivity? = nil) {
        addresses[token] = Address(phone: phone.number, installation: phone.installation, activity: activity)
    }

    func kill(_ token: String) {
        guard addresses[token]?.diedAt == nil else { return }
        addresses[token]?.diedAt = world.now
        world.note("token \(token) is dead from now on")
    }

    func diedAt(_ token: String) -> Int? { addresses[token]?.diedAt }

    /// The push has left; `reply` comes when APNs has answered, or when nobody waits any more.
    func send(_ push: LabPush, _ reply: @escaping (LabAnswer) -> Void) {
        let soon = 20 + world.random.below(200)
        if let fate = fate?(push) { return meet(fate, push, reply) }
        if world.fault(world.faults.pushTrouble) { return world.after(soon) { reply(.trouble) } }
        guard push.kind != .silent, push.kind != .visible else {
            deliver(push, in: soon)
            return world.after(soon) { reply(.accepted) }
        }
        guard let address = addresses[push.address] else { return world.after(soon) { reply(.dead(since: nil)) } }
        if let diedAt = address.diedAt {
            if world.now - diedAt < Self.lieMax, world.fault(world.faults.deadTokenAccepted) {
                world.oracle.processed(push)
                return world.after(soon) { reply(.accepted) }
            }
            let since = world.random.perMille(200) ? nil : diedAt
            return world.after(soon) { reply(.dead(since: since)) }
        }
        let isUnknown = world.fault(world.faults.pushUnknown)
        if isUnknown {
            world.after(10_000) { reply(.unknown) }
            guard world.random.perMille(500) else { return }
        } else {
            world.after(soon) { reply(.accepted) }
        }
        world.oracle.processed(push)
        if world.fault(world.faults.pushLost) {
            if push.kind == .end { address.activity?.lostItsEnd = true }
            return world.note("  lost on the way: \(push.kind) to \(push.address)")
        }
        deliver(push, in: soon)
        let repeats = push.kind == .start ? world.faults.pushRepeated / 4 : world.faults.pushRepeated
        if world.fault(repeats) { deliver(push, in: soon + 100 + world.random.below(5_000)) }
    }

    private func meet(_ fate: Fate, _ push: LabPush, _ reply: @escaping (LabAnswer) -> Void) {
        world.noteFault()
        world.note("  its fate: \(fate)")
        switch fate {
        case .lost:
            if push.kind == .end { addresses[push.address]?.activity?.lostItsEnd = true }
            world.oracle.processed(push)
            world.after(100) { reply(.accepted) }
        case .unknown(let isProcessed):
            if isProcessed {
                world.oracle.processed(push)
                deliver(push, in: 100)
            }
            world.after(10_000) { reply(.unknown) }
        case .trouble: world.after(100) { reply(.trouble) }
        case .dead(let since): world.after(100) { reply(.dead(since: since)) }
        case .repeated(let wait):
            world.oracle.processed(push)
            world.after(100) { reply(.accepted) }
            deliver(push, in: 100)
            deliver(push, in: 100 + wait)
        case .overdue(let wait):
            world.oracle.processed(push)
            var push = push
            push.expiry = .max
            let late = push
            world.after(100) { reply(.accepted) }
            world.after(wait) { [unowned self] in arrive(late) }
            world.noteFault(until: world.now + wait)
        }
    }

    private func deliver(_ push: LabPush, in soon: Int) {
        var wait = soon + world.random.below(300)
        var push = push
        if world.fault(world.faults.pushDelayed) { wait += 1_000 + world.random.below(90_000) }
        if push.kind == .start, world.fault(world.faults.pushOverdue) {
            wait += 100_000 + world.random.below(600_000)
            push.expiry = .max
        }
        world.noteDelivery(until: world.now + wait)
        world.after(wait) { [unowned self] in arrive(push) }
    }

    private func arrive(_ push: LabPush) {
        guard push.expiry == 0 || world.now < push.expiry else {
            return world.note("  expired: \(push.kind) to \(push.address)")
        }
        guard push.kind != .silent, push.kind != .visible else {
            world.phones.first { $0.device == push.key.device }?.wake(byUser: push.kind == .visible)
            return
        }
        guard let address = addresses[push.address] else { return }
        let phone = world.phones[address.phone]
        guard phone.installation == address.installation else { return }
        guard phone.isOnline else {
            let name = push.kind == .start ? "start \(push.key.match)" : push.address
            if let waiting = stored[phone.number]?[name], waiting.stamp > push.stamp { return }
            stored[phone.number, default: [:]][name] = push
            return
        }
        phone.receive(push, address.activity)
    }

    func cameOnline(_ phone: SimulatedPhone) {
        let waiting = stored[phone.number] ?? [:]
        stored[phone.number] = nil
        for (_, push) in waiting.sorted(by: { $0.key < $1.key }) {
            world.after(100 + world.random.below(1_500)) { [unowned self] in arrive(push) }
        }
    }
}
