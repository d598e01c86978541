/// How far a match is, as far as its activities go.
enum LifePhase: Hashable, Sendable, CaseIterable {
    case notLive
    case live
    /// Innings break, lunch or tea.
    case inBreak
    case suspended
    /// Counts as not live: activities end, and play next morning starts new ones.
    case stumps
    /// The result is announced and stays as an update for a while; nothing is started any more.
    case settled
    case ended

    /// Its followers should have an activity.
    var isInPlay: Bool { self == .live || self == .inBreak || self == .suspended }
    /// Its activities are to end.
    var endsActivities: Bool { self == .ended || self == .stumps }

    var play: ModelRenewal.Play {
        switch self {
        case .live, .suspended: .going
        case .inBreak: .inBreak
        case .notLive, .stumps: .atStumps
        case .settled, .ended: .over
        }
    }
}
