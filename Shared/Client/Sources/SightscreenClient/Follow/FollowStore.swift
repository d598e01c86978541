#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
import SightscreenModels
/// Stores a user's follows in UserDefaults, which survive the app.
struct FollowStore: Sendable {
    /// The key of the follows, with the product's name.
    static let followedKey = "followedMatchIds"
    /// The key of the follows' user. Another user's follows are never shown.
    static let userKey = "followedMatchIds.user"
    /// The key of the time at which the app last ended all activities because a user left.
    static let cardsTakenOffKey = "cardsTakenOffAt"
    /// The key of all pending operations. They are one value, so that an app that ends while it writes leaves either
    /// the old or the new value.
    static let pendingOperationsKey = "pendingWishes"
    /// The most operations kept for users who have signed out. They may never sign in again; the oldest operations are
    /// removed first.
    static let keptMax = 100

    /// A pending operation with its user. It is never sent for another user.
    private struct Kept: Codable {
        var user: UserID
        var wish: PendingOperation
    }

    let store: any KeyValueStore
    let clock: any ClientClock

    /// Returns the user's follows, after removing those of another user.
    func followState(of user: UserID) -> FollowState {
        if owner != user {
            leave()
            store.set([user.rawValue], forKey: Self.userKey)
        }
        let followed = Set((store.strings(forKey: Self.followedKey) ?? []).compactMap { MatchID($0) })
        return FollowState(followed: followed, operations: kept().filter { $0.user == user }.map(\.wish))
    }

    func keep(_ followState: FollowState, of user: UserID) {
        // The operations are written first, because they also say which follows are out of date.
        keep(others: user, and: followState.operations.map { Kept(user: user, wish: $0) })
        store.set(followState.followed.sorted().map(\.description), forKey: Self.followedKey)
    }

    /// Removes the follows after a sign-out. Pending operations wait for the user's next sign-in.
    func leave() {
        guard let owner else { return }
        noteCardsTakenOff()
        let own = kept().filter { $0.user == owner }.compactMap(\.wish.afterSignOut)
        var operations: [PendingOperation] = []
        for operation in own where !operations.contains(operation) { operations.append(operation) }
        keep(others: owner, and: operations.map { Kept(user: owner, wish: $0) })
        store.set(nil, forKey: Self.followedKey)
        store.set(nil, forKey: Self.userKey)
    }

    func noteCardsTakenOff() { store.set([String(clock.now)], forKey: Self.cardsTakenOffKey) }

    /// The time at which the app last ended all activities because a user left, in seconds since 1970.
    var cardsTakenOffAt: Int? { store.strings(forKey: Self.cardsTakenOffKey)?.first.flatMap { Int($0) } }

    private var owner: UserID? { store.strings(forKey: Self.userKey)?.first.map { UserID($0) } }

    private func kept() -> [Kept] {
        (store.strings(forKey: Self.pendingOperationsKey) ?? []).compactMap {
            try? JSONDecoder().decode(Kept.self, from: Data($0.utf8))
        }
    }

    private func keep(others user: UserID, and own: [Kept]) {
        let all = kept().filter { $0.user != user }.suffix(Self.keptMax) + own
        let lines = all.compactMap { kept in
            (try? JSONEncoder().encode(kept)).map { String(decoding: $0, as: UTF8.self) }
        }
        guard lines != store.strings(forKey: Self.pendingOperationsKey) ?? [] else { return }
        store.set(lines.isEmpty ? nil : lines, forKey: Self.pendingOperationsKey)
    }
}
