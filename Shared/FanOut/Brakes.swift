package import Activities
import NIOConcurrencyHelpers
package import SightscreenModels

/// The holds as they were last read, for everything that sends. Until they were read once nothing leaves.
package final class Brakes: Sendable {
    private struct Entry {
        weak var brake: MatchBrake?
    }

    private struct State {
        var holds: Holds?
        /// Kept as long as a match or a push under way needs it.
        var entries: [MatchID?: Entry] = [:]
    }

    private let state = NIOLockedValueBox(State())

    package init() {}

    /// The one brake of a match; nil: of pushes about no match, which only a hold for everywhere stops.
    package func brake(of match: MatchID?) -> MatchBrake {
        state.withLockedValue { state in
            if let known = state.entries[match]?.brake { return known }
            let brake = MatchBrake(state.holds?.level(for: match) ?? .pushes)
            state.entries[match] = Entry(brake: brake)
            return brake
        }
    }

    /// The table was read at least once.
    package var areKnown: Bool { state.withLockedValue { $0.holds != nil } }

    /// Puts these holds in force.
    /// - Returns: those before them; nil for the first.
    package func apply(_ holds: Holds) -> Holds? {
        state.withLockedValue { state in
            let before = state.holds
            state.holds = holds
            state.entries = state.entries.filter { $1.brake != nil }
            for (match, entry) in state.entries { entry.brake?.set(holds.level(for: match)) }
            return before
        }
    }
}
