import ServiceKit
import SightscreenModels
import Store
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

/// The gate of a start, and what the start is for.
struct StartGate {
    var gate: PushGate
    /// It takes the place of an activity that runs.
    var isRenewal: Bool

    /// An earlier try may have been answered after all: another activity would be a second one.
    func isWanted(_ status: ActivityRecord.Status) -> Bool {
        switch status {
        case .pending: true
        case .active: isRenewal
        case .ended: false
        }
    }
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

    func end() { until.store(0, ordering: .relaxed) }

    var isHeld: Bool {
        let now = ContinuousClock.now
        return now.sinceBegin < until.load(ordering: .relaxed) && freezes.isAwake(now)
    }
}

extension ContinuousClock.Instant {
    private static let begin = ContinuousClock.now

    /// Nanoseconds since some instant in the life of this process.
    var sinceBegin: Int64 { (self - Self.begin).nanoseconds }
}
