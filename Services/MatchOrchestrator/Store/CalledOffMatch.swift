package import SightscreenModels

/// A match that the schedule says will not be played now.
package struct CalledOffMatch: Sendable, Hashable {
    package var matchID: MatchID
    /// Whether the match was missing at two syncs in a row. Otherwise its status says that it is off, perhaps for the
    /// first time.
    package var hasVanished: Bool

    package init(matchID: MatchID, hasVanished: Bool) {
        self.matchID = matchID
        self.hasVanished = hasVanished
    }
}
