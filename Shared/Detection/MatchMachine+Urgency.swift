import Cricket
import SightscreenModels

extension MatchMachine {
    /// Balls of a chase in which seconds matter: five overs.
    private static let lateBalls = 30

    /// Whether the match is in the last five overs of a chase, where every change goes out at once, with an alert or
    /// without.
    static func isLateInChase(_ snapshot: MatchSnapshot) -> Bool {
        guard snapshot.format != .firstClass, case .innings(let number) = snapshot.phase, number.isMultiple(of: 2),
            let left = MatchSituation(snapshot).chase?.ballsLeft
        else { return false }
        return left <= lateBalls
    }

    /// Whether a ball or a run came, and not only a change of words.
    static func hasMoved(from old: ContentState?, to new: ContentState) -> Bool {
        old?.compactLeading != new.compactLeading || old?.compactTrailing.overs != new.compactTrailing.overs
            || old?.expanded.recentBalls != new.expanded.recentBalls
    }
}
