import Sightscreen

/// What of a user's follows survives the app, in UserDefaults.
struct FollowShelf: Sendable {
    /// The product's name for it.
    static let followedKey = "followedMatchIds"
    /// A failed unfollow is retried at the next launch, too.
    static let pendingKey = "pendingUnfollows"
    /// Another user's follows are never shown.
    static let userKey = "followedMatchIds.user"

    let store: any KeyValueStore

    func book(of user: UserID) -> FollowBook {
        guard store.strings(forKey: Self.userKey) == [user.rawValue] else {
            clear()
            store.set([user.rawValue], forKey: Self.userKey)
            return FollowBook()
        }
        return FollowBook(followed: matches(Self.followedKey), pendingUnfollows: matches(Self.pendingKey))
    }

    func keep(_ book: FollowBook) {
        store.set(book.followed.sorted().map(\.description), forKey: Self.followedKey)
        store.set(book.pendingUnfollows.sorted().map(\.description), forKey: Self.pendingKey)
    }

    func clear() { for key in [Self.followedKey, Self.pendingKey, Self.userKey] { store.set(nil, forKey: key) } }

    private func matches(_ key: String) -> Set<MatchID> {
        Set((store.strings(forKey: key) ?? []).compactMap { MatchID($0) })
    }
}
