import Messages
import SightscreenModels

/// Which versions phones get whose users have switched frequent updates off: those with an alert, the first of each over,
/// every change between play and break, and otherwise the newest of each minute.
struct CoarseVersions {
    static let intervalSeconds = 60

    private struct Passage: Equatable {
        var display: MatchDisplayState
        var phase: String?
        var isBreak: Bool
        var team: String
        var over: Substring?

        init(_ update: MatchUpdate) {
            let state = update.contentState
            display = state.matchDisplayState
            phase = update.phase
            isBreak = update.isInBreak
            team = state.compactLeading.teamAbbr
            over = state.compactTrailing.overs.split(separator: ".").first
        }
    }

    /// What they are to show at least.
    private(set) var stamp: UInt32 = 0
    private var newest: UInt32 = 0
    /// When they were last given one, seconds since 1970.
    private var at = 0
    private var passage: Passage?

    /// - Parameter isForAll: it goes out to bring everybody up to date.
    mutating func published(_ update: MatchUpdate, isForAll: Bool) {
        newest = UInt32(clamping: update.stamp.rawValue)
        let isNews = isForAll || update.alert != nil || Passage(update) != passage
        if isNews || update.stamp.rawValue - at >= Self.intervalSeconds { take(update, at: update.stamp.rawValue) }
    }

    /// - Returns: whether the newest version, until now for others alone, has become theirs.
    mutating func pass(_ update: MatchUpdate, now: Int) -> Bool {
        guard stamp < newest, now - at >= Self.intervalSeconds else { return false }
        take(update, at: now)
        return true
    }

    private mutating func take(_ update: MatchUpdate, at time: Int) {
        stamp = newest
        at = time
        passage = Passage(update)
    }
}
