import Activities

/// The states of an activity as the table sees them, and what it says of each. Times and ids are left out.
enum LifeTable {
    /// How the current generation stands.
    enum Current: Hashable {
        /// There is none.
        case none
        /// To be started, after so many tries.
        case free(Int)
        /// A start is out, the so-manieth; with 0 the phone starts it itself, or it waits for another reason.
        case leased(Int)
        /// The tries are used up.
        case givenUp
        case active
        /// Active and due for renewal.
        case old
        /// Active, with the start that renews it out.
        case renewing
    }

    /// The newest end that is owed.
    enum Owed: Hashable { case nothing, now, linger }

    struct State: Hashable {
        var isFollowed = false
        var phase = LifePhase.notLive
        var allows = true
        var hasStartToken = false
        var current = Current.none
        var owed = Owed.nothing
        /// Why the newest generation that is over ended.
        var reason: EndReason?
        /// Of the newest generation, while its token's death is not explained.
        var card: MissingCard?

        var shouldExist: Bool { isFollowed && phase.isInPlay }
        var isCapable: Bool { allows && hasStartToken }
        var isRunning: Bool { current == .active || current == .old || current == .renewing }
        var isPending: Bool { isFree || isLeased || current == .givenUp }
        var isFree: Bool { if case .free = current { true } else { false } }
        var isLeased: Bool { if case .leased = current { true } else { false } }
    }

    enum Event: Hashable, CaseIterable {
        case follow, followLocally, unfollow
        case firstToken, sameToken, rotatedToken, otherActivity, endedToken, strangeToken
        case tokenTaken, dismissCurrent, dismissEnded
        case register, registerRunning, registerWithout, registerRestarted, registerForbidding, startToken, phoneLost
        case startAccepted, startUnknown, startNotProcessed, startRefused, startTokenDead, startTokenDeadBefore
        case updateAccepted, updateUnknown, updateDead, updateDeadBefore
        case endAccepted, endRetried, endNotSent, endUndeliverable
        case notLive, live, inBreak, suspended, stumps, settled, ended
        case pass, passLater, passOld, passAncient, startDue, startDueButSpent, endDue
    }

    enum Push: Hashable { case start, renewal, endNow, endLingering, state, unfollow, retireStartToken }

    /// What a state becomes, and what is to be sent. Silent and visible pushes have a table of their own.
    static func outcome(_ state: State, _ event: Event) -> (State, Set<Push>) {
        var (next, pushes) = row(state, event)
        // A new generation is the newest.
        if next.current != .none { next.card = nil }
        return (next, pushes)
    }

    private static func row(_ state: State, _ event: Event) -> (State, Set<Push>) {
        var next = state
        switch event {
        case .follow, .followLocally: return follow(state, locally: event == .followLocally)
        case .unfollow:
            next.isFollowed = false
            return (ending(next, .unfollowed, owes: .now, evenOwed: true), [])
        case .firstToken, .sameToken, .rotatedToken, .otherActivity, .endedToken, .strangeToken:
            return token(state, event)
        case .tokenTaken:
            if state.owed != .nothing, !state.isRunning { next.owed = .nothing }
            return (state.isRunning ? ending(next, .tokenInvalid, owes: .nothing) : next, [])
        case .dismissCurrent:
            guard state.isRunning || state.isPending && state.current != .free(0) else { return (state, []) }
            next.isFollowed = false
            next = ending(next, .dismissed, owes: .nothing)
            if next.owed == .linger { next.owed = .now }
            return (next, [.unfollow])
        case .dismissEnded:
            next.owed = .nothing
            guard state.reason == .tokenInvalid, !state.isRunning else { return (next, []) }
            // Its token died of that.
            next.isFollowed = false
            return (ending(next, .unfollowed, owes: .now), [.unfollow])
        case .register, .registerRunning, .registerWithout, .registerRestarted, .registerForbidding:
            return register(state, event)
        case .startToken:
            next.hasStartToken = true
            return (resumed(next), [])
        case .phoneLost:
            next.hasStartToken = false
            next.card = nil
            return (ending(next, .tokenInvalid, owes: .now), [])
        case .startAccepted, .startUnknown, .startNotProcessed, .startRefused, .startTokenDead, .startTokenDeadBefore:
            return startAnswer(state, event)
        case .updateAccepted, .updateUnknown, .updateDeadBefore: return (state, [])
        case .updateDead:
            guard state.isRunning else { return (state, []) }
            next = ending(next, .tokenInvalid, owes: .nothing)
            next.card = .unknown
            return (next, [])
        case .endAccepted, .endUndeliverable:
            next.owed = .nothing
            return (next, [])
        case .endRetried, .endNotSent: return (state, [])
        case .notLive, .live, .inBreak, .suspended, .stumps, .settled, .ended: return phase(state, event)
        case .pass: return (pass(state), [])
        case .passLater, .passOld, .passAncient: return (passLater(state, event), [])
        case .startDue: return start(state)
        case .startDueButSpent: return (state, [])
        case .endDue:
            switch state.owed {
            case .nothing: return (state, [])
            case .now: return (state, [.endNow])
            case .linger: return (state, [.endLingering])
            }
        }
    }

    // MARK: - Rows

    private static func follow(_ state: State, locally: Bool) -> (State, Set<Push>) {
        var next = state
        next.isFollowed = true
        next.card = nil
        guard state.phase.isInPlay else { return (next, []) }
        switch state.current {
        case .none: next.current = locally ? .leased(0) : state.isCapable ? .free(0) : .none
        case .free(let tries): next.current = locally ? .leased(tries) : state.current
        case .givenUp, .leased, .active, .old, .renewing: break
        }
        return (next, [])
    }

    private static func token(_ state: State, _ event: Event) -> (State, Set<Push>) {
        var next = state
        // The end goes out at once; a result may linger when the match ended just now.
        func owed(_ reason: EndReason?) -> (State, Set<Push>) {
            next.owed = state.phase == .ended ? .linger : .now
            next.reason = reason ?? next.reason
            return (next, [])
        }
        switch event {
        case .endedToken where state.card != nil && state.isFollowed && state.phase != .ended:
            // It is there after all.
            next.current = .active
            return (next, [.state])
        case .endedToken: return owed(nil)
        case .firstToken where state.phase == .ended, .sameToken where state.phase == .ended,
            .rotatedToken where state.phase == .ended:
            next.current = .none
            next.card = nil
            return owed(.matchEnd)
        case .strangeToken where state.phase == .ended, .otherActivity where state.phase == .ended:
            next.card = nil
            return owed(.matchEnd)
        default: break
        }
        switch event {
        case .firstToken, .strangeToken:
            if state.isPending {
                next.current = .active
                return (next, [.state])
            }
            if state.isRunning { return replaced(next) }
            guard state.isFollowed else {
                next.card = nil
                next.owed = .now
                next.reason = .unfollowed
                return (next, [])
            }
            next.current = .active
            return (next, [.state])
        case .sameToken: return (state, [])
        case .rotatedToken: return (state, [.state])
        case .otherActivity: return replaced(next)
        default: return (state, [])
        }
    }

    /// The newest start wins; the other's token gets an end.
    private static func replaced(_ state: State) -> (State, Set<Push>) {
        var next = ending(state, .matchEnd, owes: .now)
        next.current = .active
        return (next, [.state])
    }

    private static func register(_ state: State, _ event: Event) -> (State, Set<Push>) {
        var next = state
        next.allows = event != .registerForbidding
        let holds = event == .registerRunning
        switch event {
        case .registerRunning: if state.card != nil { next.card = .unknown }
        case .registerWithout: if state.card == .unknown { next.card = .gone }
        case .registerRestarted: if state.card == .unknown { next.card = nil }
        default: break
        }
        if holds {
            // Nothing that runs is started again.
            switch state.current {
            case .none: next.current = state.shouldExist && state.card == nil ? .leased(0) : .none
            case .free(let tries): next.current = .leased(tries)
            case .leased, .givenUp, .active, .old, .renewing: break
            }
        }
        // Also where nothing can be started: it has been.
        if holds, state.current == .givenUp, !next.isCapable { return (next, []) }
        next = resumed(next)
        if holds, state.current == .givenUp, next.current == .free(0) { next.current = .leased(0) }
        return (next, [])
    }

    /// The app is awake: the tries begin anew.
    private static func resumed(_ state: State) -> State {
        var next = state
        guard state.isCapable else {
            return state.isFree || state.current == .givenUp ? ending(next, .tokenInvalid, owes: .nothing) : state
        }
        switch state.current {
        case .givenUp: next.current = .free(0)
        case .leased(ModelStarts.triesMax): next.current = .leased(0)
        case .none: if state.shouldExist, state.card == nil { next.current = .free(0) }
        case .free, .leased, .active, .old, .renewing: break
        }
        return next
    }

    private static func startAnswer(_ state: State, _ event: Event) -> (State, Set<Push>) {
        var next = state
        switch event {
        case .startAccepted, .startUnknown: return (state, [])
        case .startNotProcessed, .startTokenDeadBefore:
            // It does not count, and waits a little before the next.
            if case .leased(let tries) = state.current { next.current = .leased(max(tries - 1, 0)) }
            return (next, [])
        case .startRefused:
            if state.isLeased { next.current = .givenUp }
            return (next, [])
        case .startTokenDead:
            next.hasStartToken = false
            if case .leased(let tries) = state.current { next.current = .free(max(tries - 1, 0)) }
            if state.current == .renewing { next.current = .old }
            return (next, state.hasStartToken ? [.retireStartToken] : [])
        default: return (state, [])
        }
    }

    private static func phase(_ state: State, _ event: Event) -> (State, Set<Push>) {
        var next = state
        switch event {
        case .notLive: next.phase = .notLive
        case .live: next.phase = .live
        case .inBreak: next.phase = .inBreak
        case .suspended: next.phase = .suspended
        case .stumps: next.phase = .stumps
        case .settled: next.phase = .settled
        case .ended: next.phase = .ended
        default: break
        }
        let resumes = state.phase == .suspended && next.phase == .live && state.isRunning
        return (next, resumes ? [.state] : [])
    }

    /// Twenty minutes later, 7 h 50 min after an activity began, or a minute more than eight hours after it.
    private static func passLater(_ state: State, _ event: Event) -> State {
        var next = state
        switch state.current {
        case .leased(ModelStarts.triesMax): next.current = .givenUp
        case .leased(let tries): next.current = .free(tries)
        case .renewing where event == .passAncient: next.current = .old
        case .none, .free, .givenUp, .active, .old, .renewing: break
        }
        if state.isRunning, state.shouldExist {
            if event == .passOld { next.current = .old }
            if event == .passAncient { next = ending(next, .matchEnd, owes: .now) }
        }
        return pass(next)
    }

    private static func pass(_ state: State) -> State {
        var next = state
        if state.phase.endsActivities { next = ending(next, .matchEnd, owes: .linger) }
        if !state.isFollowed { next = ending(next, .unfollowed, owes: .now) }
        if next.shouldExist, next.isCapable, next.current == .none, next.card == nil { next.current = .free(0) }
        return next
    }

    private static func start(_ state: State) -> (State, Set<Push>) {
        guard state.shouldExist, state.isCapable else { return (state, []) }
        var next = state
        switch state.current {
        case .free(let tries):
            next.current = .leased(tries + 1)
            return (next, [.start])
        case .old:
            next.current = .renewing
            return (next, [.renewal])
        case .none, .leased, .givenUp, .active, .renewing: return (state, [])
        }
    }

    /// - Parameter evenOwed: an end that waits is to remove at once, too.
    private static func ending(_ state: State, _ reason: EndReason, owes: Owed, evenOwed: Bool = false) -> State {
        var next = state
        if evenOwed, next.owed == .linger { next.owed = .now }
        guard state.current != .none else { return next }
        if state.isRunning, owes != .nothing { next.owed = owes }
        next.current = .none
        next.reason = reason
        return next
    }
}
