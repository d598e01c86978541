import Activities

/// The next step for a phone that does not answer to starts.
struct ModelFallbackRule: Hashable, Sendable {
    typealias Step = StartFallback.Step

    /// How the start of an activity that should exist stands.
    enum Outlook: CaseIterable, Hashable, Sendable {
        case underWay
        /// The lease of the first try is over, and a second is out.
        case unanswered
        /// The lease of the second try is over, too, APNs refused it, or APNs has called the start token dead.
        case lost
    }

    /// What is known of a phone.
    struct State: Hashable, Sendable {
        var step = Step.none
        /// Since the step's push left, or since the step if there is nothing to send.
        var since = Duration.zero
        /// The step's push has not left: the operator holds it, or no coordinator has claimed it yet.
        var pushIsDue = false
        /// Its start token has been through the chain before, and has started nothing since.
        var tokenIsSpent = false
        /// Since its last visible push, whatever for.
        var sinceVisible: Duration?
        /// The user wants to be told something of that match; a notification is an alert.
        var maySee = true
    }

    var wait = Duration.seconds(120)

    /// - Parameter start: of an activity that should exist now.
    /// - Returns: the step that is due; nil for none.
    func next(_ state: State, _ start: Outlook) -> Step? {
        guard start != .underWay, !state.pushIsDue else { return nil }
        switch state.step {
        case .none where state.tokenIsSpent: return start == .lost ? .passive : nil
        case .none: return .silent
        case .silent:
            // The second try may still bring it.
            guard start == .lost, state.since >= wait else { return nil }
            let wasShown = state.sinceVisible.map { $0 < .seconds(86_400) } ?? false
            return wasShown || !state.maySee ? .passive : .visible
        case .visible: return start == .lost && state.since >= wait ? .passive : nil
        case .passive: return nil
        }
    }
}
