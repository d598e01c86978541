package import Activities
import NIOConcurrencyHelpers
package import SightscreenModels

/// The holds as they were last read, for everything that sends. Until the first reading nothing leaves.
package final class MatchHolds: Sendable {
    private struct Entry {
        weak var hold: MatchHold?
    }

    private struct State {
        var holds: Holds?
        /// The shared holds; each lives as long as a match or a push in flight refers to it.
        var entries: [MatchID?: Entry] = [:]
    }

    private let state = NIOLockedValueBox(State())

    package init() {}

    /// Returns the shared hold of a match; nil stands for pushes about no match, which only a hold for everywhere
    /// stops.
    package func hold(of match: MatchID?) -> MatchHold {
        state.withLockedValue { state in
            if let known = state.entries[match]?.hold { return known }
            let hold = MatchHold(state.holds?.level(for: match) ?? .pushes)
            state.entries[match] = Entry(hold: hold)
            return hold
        }
    }

    /// Whether the table was read at least once.
    package var areKnown: Bool { state.withLockedValue { $0.holds != nil } }

    /// Puts these holds in force.
    /// - Returns: the holds before these; nil the first time.
    package func apply(_ holds: Holds) -> Holds? {
        state.withLockedValue { state in
            let before = state.holds
            state.holds = holds
            state.entries = state.entries.filter { $1.hold != nil }
            for (match, entry) in state.entries { entry.hold?.set(holds.level(for: match)) }
            return before
        }
    }
}
