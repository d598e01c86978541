/// How far the newest version of a match has reached its phones.
package struct VersionProgress: Sendable, Equatable {
    package var version = 0
    /// Phones that the version is meant for.
    package var targeted = 0
    package var sent = 0
    package var accepted = 0
    /// Accepted pushes of a stamp that a newer one had already replaced.
    package var superseded = 0
    /// Phones that the version has not reached, by the last failure of each.
    package var failed: [PushFailure: Int] = [:]
    /// Phones and channels that lack the version or one before it, but for those that do not count as behind or have
    /// had no state yet.
    package var lacking = 0
    /// Phones that got an alert with the version.
    package var alerted = 0
    /// Times by `MonotonicTime`, here and below; 0 for what has not happened yet.
    package var publishedAt: Int64 = 0
    package var firstAcceptedAt: Int64 = 0
    package var lastAcceptedAt: Int64 = 0

    /// Nothing of the version is left to send or to be answered, as far as is known.
    package var isComplete = true

    package init() {}

    package mutating func add(_ other: Self) {
        version = max(version, other.version)
        targeted += other.targeted
        sent += other.sent
        accepted += other.accepted
        superseded += other.superseded
        failed.merge(other.failed) { $0 + $1 }
        lacking += other.lacking
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
