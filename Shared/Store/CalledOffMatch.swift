public import SightscreenModels

/// A match that will not be played on now, as the schedule says it.
public struct CalledOffMatch: Sendable, Hashable {
    public var matchID: MatchID
    /// It was missing at two syncs in a row. Otherwise its status says that it is off, perhaps for the first time.
    public var hasVanished: Bool

    public init(matchID: MatchID, hasVanished: Bool) {
        self.matchID = matchID
        self.hasVanished = hasVanished
    }
}
