public import SightscreenModels

/// The changes that a reconciliation with the backend made on this phone.
public struct FollowChanges: Hashable, Sendable {
    /// Matches that were followed on another phone, or before the app was installed again.
    public var added: Set<MatchID>
    /// Matches that were unfollowed elsewhere, or are over.
    public var removed: Set<MatchID>

    public init(added: Set<MatchID> = [], removed: Set<MatchID> = []) {
        self.added = added
        self.removed = removed
    }
}
