public import Cricket
public import SightscreenModels

/// The closeness of a match: the relevance, which decides the match that owns the Dynamic Island, and the sentiment.
public struct Closeness: Equatable, Sendable {
    /// The relevance once the result is announced: it is the news until the activity ends, and only a match with a
    /// close finish before it goes first.
    static let settledRelevance = 75.0

    /// The relevance from 0 to 100 with one decimal, higher the closer the match and the nearer its end.
    public let relevance: Double
    public let sentiment: MatchSentiment

    /// - Parameter isSettled: whether the result is announced, so that nothing is at stake any more.
    public init(of snapshot: MatchSnapshot, isSettled: Bool) {
        let situation = MatchSituation(snapshot)
        relevance = (Self.relevance(situation, isSettled: isSettled) * 10).rounded() / 10
        sentiment = Self.sentiment(situation, isSettled: isSettled)
    }

    private static func relevance(_ situation: MatchSituation, isSettled: Bool) -> Double {
        let snapshot = situation.snapshot
        if isSettled { return settledRelevance }
        switch snapshot.phase {
        case .cancelled, .postponed: return 0
        case .abandoned: return 5
        case .notStarted, .delayed: return 10
        case .stumps: return 10
        case .interrupted, .lunch, .tea, .dinner: return 0.6 * inPlay(situation)
        case .innings, .inningsBreak, .finished, .unknown: return inPlay(situation)
        }
    }

    private static func inPlay(_ situation: MatchSituation) -> Double {
        guard let current = situation.current else { return 25 }
        if situation.isSuperOver { return 100 }
        if situation.snapshot.format == .firstClass {
            let base = 25 + 5 * Double(min(current.number, 4))
            guard situation.chase != nil else { return base }
            return base + 50 * closeness(situation)
        }
        let progress = situation.progress ?? 0
        guard situation.chase != nil, current.number % 2 == 0 else { return 35 + 10 * progress }
        return 35 + closeness(situation) * (25 + 40 * progress)
    }

    /// The closeness from 0 to 1: 1 when the chase could go either way, near 0 when one side runs away with it.
    static func closeness(_ situation: MatchSituation) -> Double {
        guard let margin = margin(situation) else { return 0.5 }
        return 1 / (1 + margin * margin)
    }

    /// The runs that the chasing side can expect to make less the runs it needs, in units of a usual error; positive
    /// when it is ahead.
    private static func margin(_ situation: MatchSituation) -> Double? {
        guard let chase = situation.chase else { return nil }
        let wickets = Double(chase.wicketsLeft) / Double(situation.wicketsAllowed)
        guard let left = chase.ballsLeft else {
            // Without a limit of overs, wickets are the only resource: some 30 runs each.
            return (300 * wickets - Double(chase.need)) / 60
        }
        let par = situation.snapshot.format == .oneDay ? 5.8 : 8.6
        // Wickets in hand matter while there are balls to lose them on: in the last over the tail swings too.
        let care = min(1, Double(left) / 60)
        let usable = wickets > 0 ? 1.1 - 0.65 * (1 - wickets) * care : 0
        let expected = Double(left) / 6 * par * usable
        return (expected - Double(chase.need)) / (4 + Double(left) / 6 * 1.2)
    }

    private static func sentiment(_ situation: MatchSituation, isSettled: Bool) -> MatchSentiment {
        guard let current = situation.current, !isSettled, current.overs.legalBalls > 0 || situation.isSuperOver else {
            return .neutral
        }
        switch situation.snapshot.phase {
        case .innings, .inningsBreak, .unknown: break
        default: return .neutral
        }
        if situation.isSuperOver { return .tense }
        if situation.chase != nil, let margin = margin(situation) {
            let progress = situation.progress ?? 0.6
            // In the last three overs one good over turns the match.
            let isLate = situation.chase?.ballsLeft.map { $0 <= 18 } ?? false
            if abs(margin) <= (isLate ? 1.2 : 0.9), progress >= 0.6 { return .tense }
            if abs(margin) >= 3 { return .dominant }
            // The last five overs of a chase that either side may win.
            if let left = situation.chase?.ballsLeft, left <= 30 { return .exciting }
        }
        let recent = current.balls.suffix(12)
        let wickets = recent.reduce(0) { $0 + ($1.outID == nil ? 0 : 1) }
        let boundaries = recent.reduce(0) { $0 + ($1.isBoundary ? 1 : 0) }
        if wickets >= 2 || boundaries >= 4 { return .exciting }
        if situation.chase == nil, let lead = situation.lead, abs(lead) >= 250 { return .dominant }
        return .neutral
    }
}
