import Synchronization
/// Detects that what this process knows is too old: the process stalled (was stopped, starved or asleep), or the
/// database does not answer.
///
/// `isAwake` is asked on the connections' thread before every push: nothing leaves after a stall before everything is
/// read anew, even under a lease that is still valid.
package final class StallDetector: Sendable {
    /// The tables that have to be read anew after a stall.
    package enum Reading: CaseIterable, Sendable { case activities, holds }

    /// The beginning of a reading: its time, and the number of stalls before it.
    package struct Mark: Sendable {
        fileprivate let gaps: Int
        fileprivate let at: Int64
    }

    /// The greatest age of what was read: an unfollow and a hold are obeyed within a second.
    package static let ageMax = Duration.seconds(1)
    /// The time between two beats of the `Heartbeat`.
    package static let interval = Duration.milliseconds(100)
    /// A longer gap between two beats counts as a stall. It is shorter than `ageMax`, because an unfollow is obeyed
    /// within a second and the reading takes a part of that.
    package static let gapMax = Duration.milliseconds(500)

    private static let gapMaxNs = Int64(gapMax / .nanoseconds(1))
    private let ageMaxNs: Int64?
    private let beatAt: Atomic<Int64>
    private let gaps = Atomic<Int>(0)
    private let activities = Read()
    private let holds = Read()

    /// The number of gaps before the last reading of one table, and when that reading began.
    private final class Read: Sendable {
        let gaps = Atomic<Int>(0)
        let at = Atomic<Int64>(.min / 2)

        func note(_ mark: Mark) {
            at.store(mark.at, ordering: .releasing)
            gaps.store(mark.gaps, ordering: .releasing)
        }

        func isSince(_ gaps: Int, _ at: Int64) -> Bool {
            self.gaps.load(ordering: .acquiring) >= gaps && self.at.load(ordering: .acquiring) >= at
        }
    }

    /// - Parameter ageMax: the age at which a reading is too old; nil where nothing is read.
    package init(ageMax: Duration? = nil) {
        ageMaxNs = ageMax.map { Int64($0 / .nanoseconds(1)) }
        beatAt = Atomic(ContinuousClock.now.sinceBegin)
    }

    /// Records that the process runs.
    /// - Returns: whether the gap since the last beat was a stall.
    @discardableResult
    package func beat(_ now: ContinuousClock.Instant = .now) -> Bool {
        let now = now.sinceBegin
        let isLate = now - beatAt.load(ordering: .acquiring) > Self.gapMaxNs
        // The gap is stored before the beat, so that a thread that sees the beat sees the gap, too.
        if isLate { gaps.add(1, ordering: .sequentiallyConsistent) }
        beatAt.store(now, ordering: .sequentiallyConsistent)
        return isLate
    }

    /// Stalls so far.
    package var stallCount: Int { gaps.load(ordering: .relaxed) }

    /// Marks the beginning of a reading; `noteRead` takes the mark when the reading has ended.
    package func mark(_ now: ContinuousClock.Instant = .now) -> Mark {
        beat(now)
        return Mark(gaps: gaps.load(ordering: .sequentiallyConsistent), at: now.sinceBegin)
    }
    /// Records that a reading has ended.
    package func noteRead(_ reading: Reading, since mark: Mark) {
        switch reading {
        case .activities: activities.note(mark)
        case .holds: holds.note(mark)
        }
    }
    /// Whether the process runs, and has read everything since its last stall and within `ageMax`.
    package func isAwake(_ now: ContinuousClock.Instant = .now) -> Bool {
        let now = now.sinceBegin
        guard now - beatAt.load(ordering: .sequentiallyConsistent) <= Self.gapMaxNs else { return false }
        let gaps = gaps.load(ordering: .sequentiallyConsistent)
        let oldest = ageMaxNs.map { now - $0 } ?? .min
        return activities.isSince(gaps, oldest) && holds.isSince(gaps, oldest)
    }
}
