/// Asks a disk, which may be slow or stand still: nobody waits longer for it before the server is asked, and once it has not
/// answered it is not asked at all for a while.
@MainActor
final class DiskPatience {
    nonisolated static let limit = Duration.seconds(1)
    /// In seconds.
    nonisolated static let pause = 30

    private let clock: any ClientClock
    private var isAskedFrom = Int.min

    init(clock: any ClientClock) { self.clock = clock }

    /// - Returns: nil when there is nothing, when the answer is late, and while the disk is left alone.
    func ask<Value: Sendable>(_ work: @escaping @Sendable () async -> Value?) async -> Value? {
        guard clock.now >= isAskedFrom else { return nil }
        let answer = await finished(within: Self.limit, clock, work)
        // Who has left did not wait: that says nothing of the disk.
        if answer == nil, !Task.isCancelled { isAskedFrom = clock.now + Self.pause }
        return answer ?? nil
    }
}
