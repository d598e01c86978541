import SightscreenModels
import Store

/// Believes that a match was called off only when the schedule says so twice: providers post a status by mistake and
/// take it back.
struct CalledOffWatch: Sendable {
    /// The number of the sync after which a match was first seen called off.
    private var firstSeen: [MatchID: Int] = [:]

    /// - Parameters:
    ///   - matches: all that are called off now.
    ///   - sync: how many syncs have succeeded so far.
    /// - Returns: those that are to be ended.
    mutating func confirmed(_ matches: [CalledOffMatch], afterSync sync: Int) -> [MatchID] {
        firstSeen = Dictionary(
            uniqueKeysWithValues: matches.map { ($0.matchID, firstSeen[$0.matchID] ?? sync) })
        // A vanished one has already been missed twice.
        return matches.filter { $0.hasVanished || (firstSeen[$0.matchID] ?? sync) < sync }.map(\.matchID)
    }
}
