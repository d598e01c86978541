/// One phone of one follower and one match: what should be there, what is, and why it is not.
///
/// The order of the reasons is that in which somebody would have to put them right.
public struct ActivityCase: Sendable, Hashable {
    public enum Follow: Sendable, Hashable, CaseIterable {
        case none, expired, current
    }

    /// The generation that has not ended.
    public enum Record: Sendable, Hashable, CaseIterable {
        case none
        /// `hasTried`: a push-to-start is or was out. `isLeased`: nobody may send another one yet.
        case pending(hasTried: Bool, isLeased: Bool, isGivenUp: Bool)
        case active

        public static var allCases: [Record] {
            let flags = [false, true]
            let pending = flags.flatMap { tried in
                flags.flatMap { leased in
                    flags.map { Record.pending(hasTried: tried, isLeased: leased, isGivenUp: $0) }
                }
            }
            return [.none, .active] + pending
        }
    }

    /// How often a phone may be started that does not answer.
    public enum Cap: String, Sendable, Hashable, CaseIterable {
        case phoneHour, phoneDay, userDay
    }

    public var phase: LivePhase
    public var follow: Follow
    /// The app says that the user allows Live Activities.
    public var isEnabled: Bool
    public var hasStartToken: Bool
    public var record: Record
    /// The bound that is reached, if any.
    public var cap: Cap?
    /// The operator holds all pushes of the match.
    public var isHeld: Bool

    public init(
        phase: LivePhase, follow: Follow, isEnabled: Bool, hasStartToken: Bool, record: Record, cap: Cap? = nil,
        isHeld: Bool = false
    ) {
        self.phase = phase
        self.follow = follow
        self.isEnabled = isEnabled
        self.hasStartToken = hasStartToken
        self.record = record
        self.cap = cap
        self.isHeld = isHeld
    }

    /// A followed match in play, whatever the phone can show.
    public var shouldExist: Bool { follow == .current && phase.isOn }

    public var finding: ActivityFinding {
        switch record {
        case .active: isUnwanted ? .endsNextPass : .running
        case .pending(let hasTried, let isLeased, let isGivenUp):
            if isUnwanted {
                .endsNextPass
            } else if phase == .settled {
                .settled
            } else if isGivenUp {
                .givenUp
            } else if isLeased {
                hasTried ? .startIsOut : .startsLocally
            } else {
                obstacle ?? (phase.isOn ? cap.map(ActivityFinding.init) : .notLive) ?? (isHeld ? .held : .startDue)
            }
        case .none:
            switch follow {
            case .none: .notFollowed
            case .expired: .followExpired
            case .current:
                // A user's day bounds only what is sent: the record is made, and waits.
                !phase.isOn
                    ? .notLive
                    : obstacle ?? (cap == .userDay ? nil : cap.map(ActivityFinding.init)) ?? .madeNextPass
            }
        }
    }

    private var isUnwanted: Bool { follow == .none || phase.isOver }

    private var obstacle: ActivityFinding? {
        if !isEnabled { return .notAllowed }
        return hasStartToken ? nil : .noStartToken
    }
}
