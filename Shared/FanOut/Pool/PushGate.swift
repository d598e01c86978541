import HTTP2
package import SightscreenModels
import Synchronization

/// Tells, at the moment a push would leave, whether it still may. It is asked on the connections' thread.
package final class PushGate: Sendable {
    private let trust: ShardTrust
    private let hold: MatchHold
    private let isClosed = Atomic<Bool>(false)

    package init(_ trust: ShardTrust, _ hold: MatchHold) {
        self.trust = trust
        self.hold = hold
    }

    /// Closes the gate, because the activity has ended, its token was replaced, or its shard is no longer ours.
    package func close() { isClosed.store(true, ordering: .relaxed) }

    /// - Parameter level: the hold that keeps the push from leaving.
    package func isOpen(unlessHeld level: HoldLevel) -> Bool {
        !isClosed.load(ordering: .relaxed) && !isHeld(level) && trust.isHeld
    }

    /// Whether a hold of this level, or a stronger one, is in force.
    package func isHeld(_ level: HoldLevel) -> Bool { hold.stops(level) }
}

/// Tells whether one shard's lease is trusted now, and whether what was read under it is recent enough.
package final class ShardTrust: Sendable {
    private let until = Atomic<Int64>(0)
    private let stalls: StallDetector
    /// The epoch of the lease.
    package let epoch: Int64

    package init(_ stalls: StallDetector, epoch: Int64) {
        self.stalls = stalls
        self.epoch = epoch
    }

    package func extend(to instant: ContinuousClock.Instant) {
        until.store(instant.sinceBegin, ordering: .relaxed)
    }

    package func end() { until.store(0, ordering: .relaxed) }

    package var isHeld: Bool {
        let now = ContinuousClock.now
        return now.sinceBegin < until.load(ordering: .relaxed) && stalls.isAwake(now)
    }
}

extension ContinuousClock.Instant {
    private static let begin = ContinuousClock.now

    /// Nanoseconds since some instant in the life of this process.
    var sinceBegin: Int64 { MonotonicTime.nanoseconds(self - Self.begin) }
}
