import Logging

/// Notes refused requests: a kind's first one at once, then how many more there were, at most once a minute. A client
/// that repeats itself cannot fill the log, and what it sent is never written.
actor RefusalLog {
    private struct Entry {
        var loggedAt: ContinuousClock.Instant
        var more = 0
    }

    private static let interval = Duration.seconds(60)
    /// By kind, which comes from a fixed set.
    private var entries: [String: Entry] = [:]

    func note(_ kind: String, _ detail: String, _ logger: Logger, level: Logger.Level = .notice) {
        let now = ContinuousClock.now
        if let entry = entries[kind], now - entry.loggedAt < Self.interval {
            entries[kind]?.more += 1
            return
        }
        let more = entries[kind]?.more ?? 0
        entries[kind] = Entry(loggedAt: now)
        logger.log(
            level: level, "Request refused",
            metadata: ["refusal.kind": "\(kind)", "refusal.reason": "\(detail)", "refusal.more": "\(more)"])
    }
}
