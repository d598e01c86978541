/// Tells a few bad tokens from a mistake of ours (sandbox tokens sent to production): when more than one in twenty of a
/// minute's answers calls the token bad, none of them is believed.
struct BadTokenBreaker: Sendable {
    private static let answersMin = 40
    private var since = ContinuousClock.now
    private var answers = 0
    private var bad = 0

    /// - Returns: whether a bad token of this answer may be retired.
    mutating func note(isBad: Bool) -> Bool {
        if ContinuousClock.now - since > .seconds(60) {
            since = .now
            answers = 0
            bad = 0
        }
        answers += 1
        if isBad { bad += 1 }
        return answers < Self.answersMin || bad * 20 <= answers
    }
}
