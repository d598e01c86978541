import Synchronization

/// Notices that what this process knows is too old: it did not run for a while (it was stopped, starved, or its machine
/// slept), or the database does not tell what changed. Nothing may leave then, a lease that runs on or not, before it has
/// read what changed meanwhile.
///
/// Asked on the connections' thread for every push.
package final class FreezeWatch: Sendable {
    /// What has to be read anew.
    package enum Reading: CaseIterable, Sendable { case activities, holds }

    /// When a reading began.
    package struct Mark: Sendable {
        fileprivate let gaps: Int
        fileprivate let at: Int64
    }

    /// An unfollow and a hold are obeyed within a second: what is known is never older.
    package static let ageMax = Duration.seconds(1)
    /// Between two beats, on a thread that does little else.
    package static let interval = Duration.milliseconds(100)
    /// A longer gap counts. An unfollow is obeyed within a second, of which the reading takes its part.
    package static let gapMax = Duration.milliseconds(500)

    private static let gapMaxNs = Int64(gapMax / .nanoseconds(1))
    private let ageMaxNs: Int64?
    private let beatAt: Atomic<Int64>
    private let gaps = Atomic<Int>(0)
    private let activities = Read()
    private let holds = Read()

    /// Through how many gaps something has been read, and when the last reading of it began.
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

    /// - Parameter ageMax: what was read longer ago is too old; nil where there is nothing to read.
    package init(ageMax: Duration? = nil) {
        ageMaxNs = ageMax.map { Int64($0 / .nanoseconds(1)) }
        beatAt = Atomic(ContinuousClock.now.sinceBegin)
    }

    /// - Returns: whether there was a gap since the last one.
    @discardableResult
    package func beat(_ now: ContinuousClock.Instant = .now) -> Bool {
        let now = now.sinceBegin
        let isLate = now - beatAt.load(ordering: .acquiring) > Self.gapMaxNs
        // Whoever sees the beat sees the gap before it.
        if isLate { gaps.add(1, ordering: .sequentiallyConsistent) }
        beatAt.store(now, ordering: .sequentiallyConsistent)
        return isLate
    }

    /// Gaps so far.
    package var standstills: Int { gaps.load(ordering: .relaxed) }

    /// To be asked for before a reading begins.
    package func mark(_ now: ContinuousClock.Instant = .now) -> Mark {
        beat(now)
        return Mark(gaps: gaps.load(ordering: .sequentiallyConsistent), at: now.sinceBegin)
    }

    /// It was read.
    package func noteRead(_ reading: Reading, since mark: Mark) {
        switch reading {
        case .activities: activities.note(mark)
        case .holds: holds.note(mark)
        }
    }

    /// It runs, has read everything since it did not, and not too long ago.
    package func isAwake(_ now: ContinuousClock.Instant = .now) -> Bool {
        let now = now.sinceBegin
        guard now - beatAt.load(ordering: .sequentiallyConsistent) <= Self.gapMaxNs else { return false }
        let gaps = gaps.load(ordering: .sequentiallyConsistent)
        let oldest = ageMaxNs.map { now - $0 } ?? .min
        return activities.isSince(gaps, oldest) && holds.isSince(gaps, oldest)
    }
}
