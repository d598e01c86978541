/// How far the newest version of a match is.
package struct VersionProgress: Sendable, Equatable {
    package var version = 0
    /// Phones that were to get it.
    package var targeted = 0
    package var sent = 0
    package var accepted = 0
    /// Answers to pushes that something newer had overtaken.
    package var superseded = 0
    /// Phones that it has not reached, by what was last said.
    package var failed: [PushFailure: Int] = [:]
    /// Phones that were told an alert with it.
    package var alerted = 0
    /// By `MonotonicTime`; 0 while it has not happened.
    package var publishedAt: Int64 = 0
    package var firstAcceptedAt: Int64 = 0
    package var lastAcceptedAt: Int64 = 0

    /// Nothing of it is to be sent or answered any more, as far as is known.
    package var isComplete = true

    package init() {}

    package mutating func add(_ other: Self) {
        version = max(version, other.version)
        targeted += other.targeted
        sent += other.sent
        accepted += other.accepted
        superseded += other.superseded
        failed.merge(other.failed) { $0 + $1 }
        alerted += other.alerted
        isComplete = isComplete && other.isComplete
        func earliest(_ one: Int64, _ other: Int64) -> Int64 {
            one == 0 || other == 0 ? max(one, other) : min(one, other)
        }
        publishedAt = earliest(publishedAt, other.publishedAt)
        firstAcceptedAt = earliest(firstAcceptedAt, other.firstAcceptedAt)
        lastAcceptedAt = max(lastAcceptedAt, other.lastAcceptedAt)
    }
}
