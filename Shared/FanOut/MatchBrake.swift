package import SightscreenModels
import Synchronization

/// What the operator holds of one match now, the hold for everywhere included. Asked on the connections' thread just
/// before each push leaves.
package final class MatchBrake: Sendable {
    private let strength: Atomic<Int>

    package init(_ level: HoldLevel) { strength = Atomic(level.strength) }

    package func set(_ level: HoldLevel) { strength.store(level.strength, ordering: .relaxed) }

    /// Whether what a hold of this level keeps from leaving must not leave.
    package func stops(_ level: HoldLevel) -> Bool { strength.load(ordering: .relaxed) >= level.strength }
}
