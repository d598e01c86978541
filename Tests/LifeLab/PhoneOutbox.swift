import Activities
import SightscreenModels

enum PhoneMessage: Hashable {
    case follow(Int, locally: Bool)
    case unfollow(Int)
    case token(Int, UpdateToken, ActivityID, StartID?)
    case dismissed(Int, ActivityID, UpdateToken?)
    case register(allows: Bool, cards: [Int: CardReport.Card], bootedAt: Int)
    case startToken(PushToStartToken)

    /// A wish of the user's: one that is executed late would undo a later one.
    var isWish: Bool {
        switch self {
        case .follow, .unfollow: true
        case .token, .dismissed, .register, .startToken: false
        }
    }
}

/// What the app has to tell the server: one after the other, each until it is answered.
final class PhoneOutbox {
    private unowned let phone: SimulatedPhone
    private var waiting: [PhoneMessage] = []
    private var isSending = false
    private var installation = 0
    private var blockedUntil = 0

    init(_ phone: SimulatedPhone) { self.phone = phone }

    private var world: World { phone.world }
    var isEmpty: Bool { waiting.isEmpty }

    func add(_ message: PhoneMessage) {
        if message.isWish ? waiting.last == message : waiting.contains(message) { return }
        waiting.append(message)
        pump()
    }

    /// The app is asleep: nothing leaves for a while.
    func block(for wait: Int) {
        blockedUntil = world.now + wait
        world.noteFault(until: blockedUntil)
    }

    func hurry() {
        blockedUntil = 0
        pump()
    }

    func forget() {
        waiting = []
        isSending = false
        installation += 1
    }

    func pump() {
        guard !isSending, let message = waiting.first, phone.isOnline else { return }
        isSending = true
        let mine = installation
        let (user, device) = (phone.user, phone.device)
        let begins = max(world.now, blockedUntil)
        if world.fault(world.faults.requestLost) {
            return world.at(begins + 5_000 + world.random.below(10_000)) { [unowned self] in again(mine) }
        }
        world.at(begins + 30 + world.random.below(300)) { [unowned self] in
            guard phone.isOnline, mine == installation, world.gateway.execute(message, user, device, phone) else {
                return world.after(1_000 + world.random.below(5_000)) { [unowned self] in again(mine) }
            }
            if !message.isWish, world.fault(world.faults.requestRepeated) {
                world.after(world.random.below(60_000)) { [unowned self] in
                    guard phone.user == user, mine == installation else { return }
                    _ = world.gateway.execute(message, user, device, phone)
                }
            }
            if world.fault(world.faults.answerLost) {
                return world.after(5_000 + world.random.below(10_000)) { [unowned self] in again(mine) }
            }
            if !waiting.isEmpty { waiting.removeFirst() }
            isSending = false
            pump()
        }
    }

    private func again(_ mine: Int) {
        guard mine == installation else { return }
        isSending = false
        pump()
    }
}
