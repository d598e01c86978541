import Cricket

/// The phase of a match, as far as Live Activities are concerned.
public enum LivePhase: String, Sendable, Hashable, CaseIterable, Codable {
    /// The match is not in the schedule, and nothing was seen of it.
    case unknown
    case upcoming
    /// The match is in play; breaks of the day count as play.
    case live
    case suspended
    case stumps
    /// The result is announced; its activities end after a while.
    case settled
    case ended
    /// The match was cancelled, abandoned, postponed or delisted before anything was seen of it.
    case calledOff

    /// Whether the match's followers should have activities.
    public var isOn: Bool { self == .live || self == .suspended }

    /// Whether no activity of the match may still run.
    public var isOver: Bool { self == .stumps || self == .ended || self == .calledOff }

    /// The facts that decide the phase.
    public struct Facts: Sendable, Hashable {
        /// The provider's status; nil when the schedule does not know the match.
        public var fixtureStatus: String?
        /// The match was in the schedule, and is no longer listed.
        public var hasVanished: Bool
        /// The display state of the newest version; nil when there is none.
        public var displayState: String?
        public var isAtStumps: Bool
        public var isSettled: Bool
        public var isEnded: Bool

        package init(
            fixtureStatus: String?, hasVanished: Bool = false, displayState: String?, isAtStumps: Bool = false,
            isSettled: Bool = false, isEnded: Bool = false
        ) {
            self.fixtureStatus = fixtureStatus
            self.hasVanished = hasVanished
            self.displayState = displayState
            self.isAtStumps = isAtStumps
            self.isSettled = isSettled
            self.isEnded = isEnded
        }
    }

    /// Derives the phase. What was seen of the match takes precedence over the schedule.
    public init(_ facts: Facts) {
        self =
            if facts.isEnded {
                .ended
            } else if facts.isSettled {
                .settled
            } else if let state = facts.displayState {
                facts.isAtStumps ? .stumps : Self.byState[state] ?? .upcoming
            } else if facts.hasVanished {
                .calledOff
            } else if let status = facts.fixtureStatus {
                LivePhase(MatchPhase(status: status))
            } else {
                .unknown
            }
    }

    private static let byState: [String: LivePhase] = [
        "live": .live, "inningsBreak": .live, "suspended": .suspended, "completed": .settled, "abandoned": .settled,
    ]

    /// Derives the phase from the schedule alone.
    private init(_ phase: MatchPhase) {
        self = phase.isInPlay ? .live : phase.isCalledOff ? .calledOff : phase == .finished ? .ended : .upcoming
    }
}
