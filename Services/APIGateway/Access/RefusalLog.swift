import Logging

/// Logs refused requests: the first of a kind at once, then at most one line a minute with the number of those between.
/// A client that repeats itself cannot fill the log, and nothing that it sent is logged.
actor RefusalLog {
    private struct Entry {
        var loggedAt: ContinuousClock.Instant
        var more = 0
    }

    private static let interval = Duration.seconds(60)
    /// The entries by kind; kinds come from a fixed set.
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
