import Messages
import Synchronization

/// Says, at the moment a push would leave, whether it still may. Asked on the connections' thread.
final class PushGate: Sendable {
    private let trust: ShardTrust
    private let brake: MatchBrake
    private let isClosed = Atomic<Bool>(false)

    init(_ trust: ShardTrust, _ brake: MatchBrake) {
        self.trust = trust
        self.brake = brake
    }

    /// The activity has ended, its token was replaced, or it is no longer ours.
    func close() { isClosed.store(true, ordering: .relaxed) }

    /// - Parameter level: the hold that keeps the push from leaving.
    func isOpen(unlessHeld level: HoldLevel) -> Bool {
        !isClosed.load(ordering: .relaxed) && !isHeld(level) && trust.isHeld
    }

    /// The operator holds what a hold of this level stops.
    func isHeld(_ level: HoldLevel) -> Bool { brake.stops(level) }
}

/// Until when one shard's lease is trusted.
package final class ShardTrust: Sendable {
    private static let origin = ContinuousClock.now
    private let until = Atomic<Int64>(0)

    package init() {}

    package func extend(to instant: ContinuousClock.Instant) {
        until.store(Self.nanoseconds(instant), ordering: .relaxed)
    }

    func end() { until.store(0, ordering: .relaxed) }

    var isHeld: Bool { Self.nanoseconds(.now) < until.load(ordering: .relaxed) }

    private static func nanoseconds(_ instant: ContinuousClock.Instant) -> Int64 {
        let (seconds, attoseconds) = (instant - origin).components
        return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
    }
}
