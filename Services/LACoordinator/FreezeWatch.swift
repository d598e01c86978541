import Synchronization

/// Notices that this process did not run for a while: it was stopped, starved, or its machine slept. What it knows is then
/// as old as the gap, a lease that runs on or not; nothing may leave before it has read what changed meanwhile.
///
/// Asked on the connections' thread for every push.
package final class FreezeWatch: Sendable {
    /// What has to be read anew.
    package enum Reading: CaseIterable, Sendable { case activities, holds }

    /// Between two beats, on a thread that does little else.
    static let interval = Duration.milliseconds(100)
    /// A longer gap counts. An unfollow is obeyed within a second, of which the reading takes its part.
    static let gapMax = Duration.milliseconds(500)

    private static let gapMaxNs = Int64(gapMax / .nanoseconds(1))
    private let beatAt: Atomic<Int64>
    private let gaps = Atomic<Int>(0)
    /// Through how many gaps each has been read.
    private let activitiesRead = Atomic<Int>(0)
    private let holdsRead = Atomic<Int>(0)

    package init() { beatAt = Atomic(ContinuousClock.now.sinceBegin) }

    /// - Returns: whether there was a gap since the last one.
    @discardableResult
    func beat(_ now: ContinuousClock.Instant = .now) -> Bool {
        let now = now.sinceBegin
        let isLate = now - beatAt.load(ordering: .acquiring) > Self.gapMaxNs
        // Whoever sees the beat sees the gap before it.
        if isLate { gaps.add(1, ordering: .sequentiallyConsistent) }
        beatAt.store(now, ordering: .sequentiallyConsistent)
        return isLate
    }

    /// To be asked for before a reading begins.
    package func mark() -> Int {
        beat()
        return gaps.load(ordering: .sequentiallyConsistent)
    }

    /// It was read.
    package func noteRead(_ reading: Reading, since mark: Int) {
        switch reading {
        case .activities: activitiesRead.store(mark, ordering: .releasing)
        case .holds: holdsRead.store(mark, ordering: .releasing)
        }
    }

    /// It runs, and has read everything since it did not.
    func isAwake(_ now: ContinuousClock.Instant = .now) -> Bool {
        guard now.sinceBegin - beatAt.load(ordering: .sequentiallyConsistent) <= Self.gapMaxNs else {
            return false
        }
        let gaps = gaps.load(ordering: .sequentiallyConsistent)
        return activitiesRead.load(ordering: .acquiring) >= gaps && holdsRead.load(ordering: .acquiring) >= gaps
    }
}
