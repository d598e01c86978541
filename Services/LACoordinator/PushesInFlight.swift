import Synchronization

/// Counts the starts, ends and pushes to apps that are in flight. A few thousand fill the connections; more would only
/// wait in memory.
final class PushesInFlight: Sendable {
    static let max = 4_096

    private let count = Atomic<Int>(0)
    /// How many more pushes may be claimed.
    var room: Int { Swift.max(0, Self.max - count.load(ordering: .relaxed)) }

    var isEmpty: Bool { count.load(ordering: .relaxed) == 0 }

    func begin(_ more: Int = 1) { count.add(more, ordering: .relaxed) }

    func end(_ some: Int = 1) { count.subtract(some, ordering: .relaxed) }
}
