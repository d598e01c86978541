import NIOConcurrencyHelpers

/// Lets a report of the same host and failure through once a minute, for all loops together: the same refusal may be
/// answered a million times.
final class RareReports: Sendable {
    private struct Subject: Hashable {
        var host: String
        var failure: PushFailure
    }

    /// Nanoseconds between two reports.
    private static let pause: Int64 = 60_000_000_000

    private let lastAt = NIOLockedValueBox<[Subject: Int64]>([:])

    /// - Parameter now: by `MonotonicTime`.
    func isDue(_ host: String, _ failure: PushFailure, now: Int64) -> Bool {
        lastAt.withLockedValue { lastAt in
            let subject = Subject(host: host, failure: failure)
            if let last = lastAt[subject], now - last < Self.pause { return false }
            lastAt[subject] = now
            return true
        }
    }
}
