/// What is done about a phone that does not answer to starts: its push-to-start token may be stale, and only the app can
/// register another. A silent push asks the app to reconcile, at once where APNs refused the start, else with the second
/// try; when all tries are lost, a notification asks the user to open the app; then nothing more until the app registers.
///
/// A match that begins later gets its tries all the same: the phone may just have been off.
public struct StartFallback: Hashable, Sendable {
    /// How far a phone is.
    public enum Step: String, CaseIterable, Hashable, Sendable {
        case none, silent, visible, passive
    }

    /// How the start of an activity that should exist stands.
    public enum Outlook: CaseIterable, Hashable, Sendable {
        case underWay
        /// The lease of the first try is over, and a second is out.
        case unanswered
        /// Its tries are used up, APNs refused it, or APNs has called the start token dead.
        case lost
    }

    /// From this try on a start is unanswered.
    public static let triesUnanswered = 2

    /// What is known of a phone.
    public struct State: Hashable, Sendable {
        public var step: Step
        /// Since the step's push left, or since the step if there is nothing to send.
        public var since: Duration
        /// The step's push has not left: the operator holds it, or nobody has come to it.
        public var pushIsDue: Bool
        /// Its start token has been through the chain before, and has started nothing since.
        public var tokenIsSpent: Bool
        /// Since its last visible push, whatever for.
        public var sinceVisible: Duration?
        /// The user wants to be told something of that match; a notification is an alert.
        public var maySee: Bool

        public init(
            step: Step = .none, since: Duration = .zero, pushIsDue: Bool = false, tokenIsSpent: Bool = false,
            sinceVisible: Duration? = nil, maySee: Bool = true
        ) {
            self.step = step
            self.since = since
            self.pushIsDue = pushIsDue
            self.tokenIsSpent = tokenIsSpent
            self.sinceVisible = sinceVisible
            self.maySee = maySee
        }
    }

    /// Between two visible pushes to one phone.
    public static let visibleEvery = Duration.seconds(86_400)

    /// How long the app has for registering before the next step (`START_FALLBACK_WAIT`).
    public var wait: Duration

    public init(wait: Duration = .seconds(120)) { self.wait = wait }

    /// - Parameters:
    ///   - start: of an activity that should exist now.
    ///   - hasRegistered: the app has registered, or a start was answered by an update token, since the step began.
    /// - Returns: the step that is due; nil for none.
    public func next(_ state: State, _ start: Outlook, hasRegistered: Bool = false) -> Step? {
        if hasRegistered { return state.step == .none ? nil : Step.none }
        guard start != .underWay, !state.pushIsDue else { return nil }
        switch state.step {
        case .none where state.tokenIsSpent: return start == .lost ? .passive : nil
        case .none: return .silent
        case .silent:
            // A try that is out may still bring it.
            guard start == .lost, state.since >= wait else { return nil }
            let wasShown = state.sinceVisible.map { $0 < Self.visibleEvery } ?? false
            return wasShown || !state.maySee ? .passive : .visible
        case .visible: return start == .lost && state.since >= wait ? .passive : nil
        case .passive: return nil
        }
    }
}
