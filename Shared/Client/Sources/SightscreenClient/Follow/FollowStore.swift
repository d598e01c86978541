#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
import SightscreenModels

/// What of a user's follows survives the app, in UserDefaults.
struct FollowStore: Sendable {
    /// The product's name for it.
    static let followedKey = "followedMatchIds"
    /// Another user's follows are never shown.
    static let userKey = "followedMatchIds.user"
    /// When the app last took all cards off, because a user left.
    static let cardsTakenOffKey = "cardsTakenOffAt"
    /// All that the backend has not heard, in one value: an app that ends while it writes leaves the one or the other.
    static let wishesKey = "pendingWishes"
    /// What is kept for users who have signed out. They may never come back; the oldest makes room.
    static let keptMax = 100

    /// A wish is never sent in another user's name.
    private struct Kept: Codable {
        var user: UserID
        var wish: PendingWish
    }

    let store: any KeyValueStore
    let clock: any ClientClock

    /// Makes room for the user, if it was another one's.
    func book(of user: UserID) -> FollowBook {
        if owner != user {
            leave()
            store.set([user.rawValue], forKey: Self.userKey)
        }
        let followed = Set((store.strings(forKey: Self.followedKey) ?? []).compactMap { MatchID($0) })
        return FollowBook(followed: followed, wishes: kept().filter { $0.user == user }.map(\.wish))
    }

    func keep(_ book: FollowBook, of user: UserID) {
        // First the wishes: they also say what of the follows is out of date.
        keep(others: user, and: book.wishes.map { Kept(user: user, wish: $0) })
        store.set(book.followed.sorted().map(\.description), forKey: Self.followedKey)
    }

    /// The user has signed out. What was not heard waits for the next sign-in.
    func leave() {
        guard let owner else { return }
        noteCardsTakenOff()
        let own = kept().filter { $0.user == owner }.compactMap(\.wish.afterSignOut)
        var wishes: [PendingWish] = []
        for wish in own where !wishes.contains(wish) { wishes.append(wish) }
        keep(others: owner, and: wishes.map { Kept(user: owner, wish: $0) })
        store.set(nil, forKey: Self.followedKey)
        store.set(nil, forKey: Self.userKey)
    }

    func noteCardsTakenOff() { store.set([String(clock.now)], forKey: Self.cardsTakenOffKey) }

    /// Seconds since 1970.
    var cardsTakenOffAt: Int? { store.strings(forKey: Self.cardsTakenOffKey)?.first.flatMap { Int($0) } }

    private var owner: UserID? { store.strings(forKey: Self.userKey)?.first.map { UserID($0) } }

    private func kept() -> [Kept] {
        (store.strings(forKey: Self.wishesKey) ?? []).compactMap {
            try? JSONDecoder().decode(Kept.self, from: Data($0.utf8))
        }
    }

    private func keep(others user: UserID, and own: [Kept]) {
        let all = kept().filter { $0.user != user }.suffix(Self.keptMax) + own
        let lines = all.compactMap { kept in
            (try? JSONEncoder().encode(kept)).map { String(decoding: $0, as: UTF8.self) }
        }
        guard lines != store.strings(forKey: Self.wishesKey) ?? [] else { return }
        store.set(lines.isEmpty ? nil : lines, forKey: Self.wishesKey)
    }
}
