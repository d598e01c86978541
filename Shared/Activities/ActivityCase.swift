/// The case of one phone, one follower and one match: whether an activity should exist, whether it does, and why not.
///
/// Reasons are ordered by the sequence in which they would have to be fixed.
public struct ActivityCase: Sendable, Hashable {
    public enum Follow: Sendable, Hashable, CaseIterable {
        case none, expired, current
    }

    /// The generation of the activity that has not ended.
    public enum Record: Sendable, Hashable, CaseIterable {
        case none
        /// `hasTried`: a push-to-start was sent. `isLeased`: its lease has not expired, so that no other may be sent
        /// yet. `isGivenUp`: no more are sent until the app registers again.
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

    /// The bounds on how often a phone that does not answer is started.
    public enum Cap: String, Sendable, Hashable, CaseIterable {
        case phoneHour, phoneDay, userDay
    }

    public var phase: LivePhase
    public var follow: Follow
    /// The app says that the user allows Live Activities.
    public var isEnabled: Bool
    public var hasStartToken: Bool
    public var record: Record
    /// The bound that is reached; nil for none.
    public var cap: Cap?
    /// A hold stops all pushes of the match.
    public var isHeld: Bool

    package init(
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

    /// Whether the match is followed and in play, whatever the phone can show.
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
                // The user's daily bound limits only what is sent: the record is made, and waits.
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
