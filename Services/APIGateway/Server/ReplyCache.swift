import NIOConcurrencyHelpers

/// Keeps answers that are the same for every user for half a second: a million phones that ask for the live list cost
/// the database one query each half second.
final class ReplyCache: Sendable {
    /// The age is short enough for a list that clients fetch every few seconds; the score itself comes by push.
    static let ageMax = Duration.milliseconds(500)
    /// The most questions that are kept at once. Further ones are answered and not kept.
    static let entriesMax = 512

    private struct Entry {
        var begunAt: ContinuousClock.Instant
        var reply: Task<Reply, any Error>
    }

    private struct State {
        var entries: [String: Entry] = [:]
        var hits = 0
        var misses = 0
    }

    private let state = NIOLockedValueBox(State())
    private let clock: @Sendable () -> ContinuousClock.Instant

    private let ageMax: Duration

    init(ageMax: Duration = ReplyCache.ageMax, clock: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) {
        self.ageMax = ageMax
        self.clock = clock
    }

    struct Count: Sendable, Hashable, Codable {
        var entries: Int
        var hits: Int
        var misses: Int
    }

    var count: Count {
        state.withLockedValue { Count(entries: $0.entries.count, hits: $0.hits, misses: $0.misses) }
    }

    func clear() { state.withLockedValue { $0.entries = [:] } }

    /// Returns the kept answer to `question`, waits for the one in flight, or makes a new one. A failure is not kept.
    func reply(
        to question: String, _ make: @escaping @Sendable () async throws -> Reply
    ) async throws -> Reply {
        let now = clock()
        let task = state.withLockedValue { state in
            if let entry = state.entries[question], now - entry.begunAt < ageMax {
                state.hits += 1
                return entry.reply
            }
            state.misses += 1
            if state.entries.count >= Self.entriesMax {
                state.entries = state.entries.filter { now - $0.value.begunAt < ageMax }
            }
            // The task is detached, because the caller may be cancelled while others wait for the same answer.
            let task = Task.detached { try await make() }
            if state.entries.count < Self.entriesMax { state.entries[question] = Entry(begunAt: now, reply: task) }
            return task
        }
        do {
            return try await task.value
        } catch {
            state.withLockedValue { state in
                if state.entries[question]?.reply == task { state.entries[question] = nil }
            }
            throw error
        }
    }
}
