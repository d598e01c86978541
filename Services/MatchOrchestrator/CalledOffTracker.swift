import SightscreenModels
import Store
/// Confirms that a match is called off when two syncs say so, because providers post a status by mistake and take it
/// back.
struct CalledOffTracker: Sendable {
    /// The number of the sync after which a match was first seen called off.
    private var firstSeen: [MatchID: Int] = [:]

    /// - Parameters:
    ///   - matches: all matches that are called off now.
    ///   - sync: how many syncs have succeeded so far.
    /// - Returns: the matches that are to be ended.
    mutating func confirmed(_ matches: [CalledOffMatch], afterSync sync: Int) -> [MatchID] {
        firstSeen = Dictionary(
            uniqueKeysWithValues: matches.map { ($0.matchID, firstSeen[$0.matchID] ?? sync) })
        // A vanished match has already been missing at two syncs.
        return matches.filter { $0.hasVanished || (firstSeen[$0.matchID] ?? sync) < sync }.map(\.matchID)
    }
}
