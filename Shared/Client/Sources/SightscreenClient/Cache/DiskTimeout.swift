/// Limits the wait for a disk that may be slow or stalled. After the limit the caller asks the server, and the disk is
/// not used for a while.
@MainActor
final class DiskTimeout {
    nonisolated static let limit = Duration.seconds(1)
    /// The time for which a disk that did not answer is not used, in seconds.
    nonisolated static let pause = 30

    private let clock: any ClientClock
    private var isAskedFrom = Int.min

    init(clock: any ClientClock) { self.clock = clock }

    /// - Returns: the answer; nil when there is none, when it is late, and while the disk is not used.
    func ask<Value: Sendable>(_ work: @escaping @Sendable () async -> Value?) async -> Value? {
        guard clock.now >= isAskedFrom else { return nil }
        let answer = await finished(within: Self.limit, clock, work)
        // A cancelled caller did not wait, which says nothing about the disk.
        if answer == nil, !Task.isCancelled { isAskedFrom = clock.now + Self.pause }
        return answer ?? nil
    }
}
