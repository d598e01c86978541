import HTTP2
package import SightscreenModels
import Synchronization

/// Says, at the moment a push would leave, whether it still may. Asked on the connections' thread.
package final class PushGate: Sendable {
    private let trust: ShardTrust
    private let brake: MatchBrake
    private let isClosed = Atomic<Bool>(false)

    package init(_ trust: ShardTrust, _ brake: MatchBrake) {
        self.trust = trust
        self.brake = brake
    }

    /// The activity has ended, its token was replaced, or it is no longer ours.
    package func close() { isClosed.store(true, ordering: .relaxed) }

    /// - Parameter level: the hold that keeps the push from leaving.
    package func isOpen(unlessHeld level: HoldLevel) -> Bool {
        !isClosed.load(ordering: .relaxed) && !isHeld(level) && trust.isHeld
    }

    /// The operator holds what a hold of this level stops.
    package func isHeld(_ level: HoldLevel) -> Bool { brake.stops(level) }
}

/// Until when one shard's lease is trusted, and what was read under it.
package final class ShardTrust: Sendable {
    private let until = Atomic<Int64>(0)
    private let freezes: FreezeWatch
    /// Of the lease.
    package let epoch: Int64

    package init(_ freezes: FreezeWatch, epoch: Int64) {
        self.freezes = freezes
        self.epoch = epoch
    }

    package func extend(to instant: ContinuousClock.Instant) {
        until.store(instant.sinceBegin, ordering: .relaxed)
    }

    package func end() { until.store(0, ordering: .relaxed) }

    package var isHeld: Bool {
        let now = ContinuousClock.now
        return now.sinceBegin < until.load(ordering: .relaxed) && freezes.isAwake(now)
    }
}

extension ContinuousClock.Instant {
    private static let begin = ContinuousClock.now

    /// Nanoseconds since some instant in the life of this process.
    var sinceBegin: Int64 { MonotonicTime.nanoseconds(self - Self.begin) }
}
