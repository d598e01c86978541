import Activities
import SightscreenModels

/// The HTTP API: each request one transaction.
final class LabGateway {
    private unowned let world: World
    /// Who has which start token.
    private var owners: [PushToStartToken: DeviceKey] = [:]

    init(_ world: World) { self.world = world }

    /// - Returns: whether it was answered with success; what was has been committed.
    func execute(_ message: PhoneMessage, _ user: Int, _ device: Int, _ phone: SimulatedPhone) -> Bool {
        let database = world.database
        guard database.isUp else { return false }
        world.note("request of user \(user), device \(device): \(message)")
        let owner = DeviceKey(user: user, device: device)
        switch message {
        case .follow(let match, let locally):
            database.addDevice(owner)
            database.follow(user, match)
            for other in database.devices(of: user) {
                database.handle(
                    LifeKey(match: match, user: user, device: other),
                    .followed(startsLocally: locally && other == device))
            }
        case .unfollow(let match):
            unfollow(user, match)
            world.oracle.unfollowed(user, match)
        case .token(let match, let token, let activity, let start):
            let key = LifeKey(match: match, user: user, device: device)
            database.addDevice(owner)
            if world.bug != .tokensAreNotMoved {
                let life = database.life(key)
                if !life.isFollowed || life.phase == .ended, isHeldByAnother(token, user) {
                    // Nothing comes of it; to somebody who does not follow the app is told so, and ends its card.
                    if !life.isFollowed { phone.wasRefused(token) }
                    return true
                }
                takeFromOthers(token, key)
            }
            for intent in database.handle(key, .tokenReported(token, activity: activity, start: start)) {
                if case .unfollow = intent { unfollow(user, match) }
            }
            phone.wasRegistered(token)
            world.oracle.registered(key, token)
        case .dismissed(let match, let activity, let token):
            let key = LifeKey(match: match, user: user, device: device)
            let intents = database.handle(key, .dismissed(activity: activity, token: token))
            if intents.contains(.unfollow) {
                unfollow(user, match)
                world.oracle.unfollowed(user, match)
            }
        case .register(let allows, let cards, let bootedAt):
            tellAll(owner) { match in
                .appRegistered(
                    allows: allows,
                    cards: CardReport(cards[match] ?? .absent, bootedAt: Moment(milliseconds: bootedAt)))
            }
            // The answer names the cards of matches that are not followed.
            for match in cards.keys where !database.life(LifeKey(match: match, user: user, device: device)).isFollowed {
                phone.wasToldToEnd(match)
            }
        case .startToken(let token):
            take(token, for: owner)
            tellAll(owner) { _ in .startTokenReported(token) }
        }
        return true
    }

    private func unfollow(_ user: Int, _ match: Int) {
        for key in world.database.keys where key.user == user && key.match == match {
            world.database.handle(key, .unfollowed)
        }
        world.database.unfollow(user, match)
    }

    /// By an activity of another user that runs, or is owed an end.
    private func isHeldByAnother(_ token: UpdateToken, _ user: Int) -> Bool {
        world.database.keys.contains { other in
            other.user != user
                && world.database.lives[other]?.generations.contains {
                    $0.token == token && ($0.status != .ended || $0.endPush.isDue)
                } == true
        }
    }

    private func takeFromOthers(_ token: UpdateToken, _ key: LifeKey) {
        for other in world.database.keys where other != key {
            guard let life = world.database.lives[other], life.generations.contains(where: { $0.token == token }) else {
                continue
            }
            world.database.handle(other, .tokenTaken(token))
        }
    }

    /// Whoever registers it last has it, and nothing else of the former owner's.
    private func take(_ token: PushToStartToken, for owner: DeviceKey) {
        if let loser = owners[token], loser != owner, world.bug != .tokensAreNotMoved {
            world.database.changePhone(loser) {
                $0.startToken = nil
                $0.startTokenAt = nil
                $0.deadStartToken = nil
            }
        }
        owners[token] = owner
    }

    private func tellAll(_ owner: DeviceKey, _ event: (Int) -> ActivityEvent) {
        world.database.addDevice(owner)
        for match in world.database.matchIDs {
            world.database.handle(LifeKey(match: match, user: owner.user, device: owner.device), event(match))
        }
    }
}
