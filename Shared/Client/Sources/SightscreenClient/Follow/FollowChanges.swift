public import SightscreenModels

/// What a reconciliation with the backend changed on this phone.
public struct FollowChanges: Hashable, Sendable {
    /// Followed on another phone, or before the app was installed anew.
    public var added: Set<MatchID>
    /// Unfollowed elsewhere, or over.
    public var removed: Set<MatchID>

    public init(added: Set<MatchID> = [], removed: Set<MatchID> = []) {
        self.added = added
        self.removed = removed
    }
}
