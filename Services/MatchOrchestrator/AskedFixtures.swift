import SightscreenModels

/// Followed matches that the schedule's window does not have, each asked for by itself now and then: moved by weeks, or
/// called off long before.
struct AskedFixtures {
    /// A match that gets a date within the window is listed there, so that its date is right soon enough.
    static let interval = Duration.seconds(3_600)
    /// A sync makes no more calls of this kind: one for the window is enough otherwise.
    static let perSync = 10

    private var answers: [MatchID: (at: ContinuousClock.Instant, isThere: Bool)] = [:]

    /// The matches that are not due again.
    var recent: [MatchID] { Array(answers.keys) }

    /// Those of them that the provider has: they are not missing, listed or not.
    var present: [MatchID] { answers.filter(\.value.isThere).map(\.key) }

    mutating func note(_ match: MatchID, isThere: Bool, at now: ContinuousClock.Instant) {
        answers[match] = (now, isThere)
    }

    /// Forgets old answers, and those about matches that are listed again.
    mutating func forget(listed: [MatchID], at now: ContinuousClock.Instant) {
        for match in listed { answers[match] = nil }
        answers = answers.filter { now - $0.value.at < Self.interval }
    }
}
