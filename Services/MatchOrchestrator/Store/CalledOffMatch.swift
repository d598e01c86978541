package import SightscreenModels

/// A match that will not be played on now, as the schedule says it.
package struct CalledOffMatch: Sendable, Hashable {
    package var matchID: MatchID
    /// It was missing at two syncs in a row. Otherwise its status says that it is off, perhaps for the first time.
    package var hasVanished: Bool

    package init(matchID: MatchID, hasVanished: Bool) {
        self.matchID = matchID
        self.hasVanished = hasVanished
    }
}
