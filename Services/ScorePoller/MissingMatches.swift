import SightscreenModels

/// Decides when to read a match that the live list does not have: at once, then ever more rarely while it shows no
/// change. A match that the provider has deleted, or that is over for good, costs ten calls in its first hour.
struct MissingMatches: Sendable {
    static let firstPause = Duration.seconds(15)
    static let longestPause = Duration.seconds(600)

    private struct State {
        var notBefore: ContinuousClock.Instant
        var pause: Duration
    }

    private var states: [MatchID: State] = [:]

    init() {}

    /// The matches to read now.
    ///
    /// - Parameter missing: all open matches that are not listed; the state of others is forgotten.
    mutating func due(_ missing: [MatchID], at now: ContinuousClock.Instant) -> [MatchID] {
        let kept = Set(missing)
        states = states.filter { kept.contains($0.key) }
        return missing.filter { states[$0].map { now >= $0.notBefore } ?? true }
    }

    /// Notes that the match was read, or could not be.
    ///
    /// - Parameter isChanged: whether the answer showed a change.
    mutating func tried(_ match: MatchID, isChanged: Bool, at now: ContinuousClock.Instant) {
        let pause = isChanged ? Self.firstPause : states[match].map { min($0.pause * 2, Self.longestPause) }
        let next = pause ?? Self.firstPause
        states[match] = State(notBefore: now + next, pause: next)
    }
}
