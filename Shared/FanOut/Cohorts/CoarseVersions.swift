import Messages
import SightscreenModels

/// Chooses the versions for phones whose users have switched frequent updates off: those with an alert, the first of
/// each over, every change between play and break, and otherwise the newest of each minute.
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

    /// The stamp that these phones are to show at least.
    private(set) var stamp: UInt32 = 0
    private var newest: UInt32 = 0
    /// When these phones were last given a version, in seconds since 1970.
    private var at = 0
    private var passage: Passage?

    /// - Parameter isForAll: the version goes out to bring every phone up to date.
    mutating func published(_ update: MatchUpdate, isForAll: Bool) {
        newest = UInt32(clamping: update.stamp.rawValue)
        let isNew = isForAll || update.alert != nil || Passage(update) != passage
        if isNew || update.stamp.rawValue - at >= Self.intervalSeconds { advance(update, at: update.stamp.rawValue) }
    }

    /// Gives these phones the newest version if their last one is a minute old.
    /// - Returns: whether the newest version, which only other phones got so far, is now for these phones, too.
    mutating func pass(_ update: MatchUpdate, now: Int) -> Bool {
        guard stamp < newest, now - at >= Self.intervalSeconds else { return false }
        advance(update, at: now)
        return true
    }

    private mutating func advance(_ update: MatchUpdate, at time: Int) {
        stamp = newest
        at = time
        passage = Passage(update)
    }
}
