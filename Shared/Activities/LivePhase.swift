import Cricket

/// How far a match is, as far as Live Activities go.
public enum LivePhase: String, Sendable, Hashable, CaseIterable, Codable {
    /// Neither the schedule nor anybody else has heard of it.
    case unknown
    case upcoming
    /// In play, breaks of the day included.
    case live
    case suspended
    case stumps
    /// The result is announced; its activities end after a while.
    case settled
    case ended
    /// Cancelled, abandoned, postponed or no longer listed, before anything was seen of it.
    case calledOff

    /// Its followers should have activities.
    public var isOn: Bool { self == .live || self == .suspended }

    /// Nothing of it may still run.
    public var isOver: Bool { self == .stumps || self == .ended || self == .calledOff }

    /// What is known of a match.
    public struct Facts: Sendable, Hashable {
        /// The provider's word; nil when the schedule does not know the match.
        public var fixtureStatus: String?
        /// It was in the schedule, and is no longer listed.
        public var hasVanished: Bool
        /// Of the newest version; nil when there is none.
        public var displayState: String?
        public var isAtStumps: Bool
        public var isSettled: Bool
        public var isEnded: Bool

        public init(
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

    /// What was seen of the match goes before what the schedule says of it.
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

    /// By the schedule alone.
    private init(_ phase: MatchPhase) {
        self = phase.isInPlay ? .live : phase.isCalledOff ? .calledOff : phase == .finished ? .ended : .upcoming
    }
}
