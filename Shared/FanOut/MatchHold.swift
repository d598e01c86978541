package import SightscreenModels
import Synchronization

/// The operator's hold on one match now, the hold for everywhere included. It is asked on the connections' thread just
/// before each push leaves.
package final class MatchHold: Sendable {
    private let strength: Atomic<Int>

    package init(_ level: HoldLevel) { strength = Atomic(level.strength) }

    package func set(_ level: HoldLevel) { strength.store(level.strength, ordering: .relaxed) }

    /// Whether a hold of this level, or a stronger one, is in force.
    package func stops(_ level: HoldLevel) -> Bool { strength.load(ordering: .relaxed) >= level.strength }
}
