import FoundationEssentials
import Postgres
public import SightscreenModels

/// The progress of one coordinator with a version of a match. Counts are phones, except `sent`.
public struct FanOutProgress: Sendable, Codable, Equatable {
    public var match: MatchID
    public var coordinator: String
    public var version: Int
    /// The phones that were to get the version.
    public var targeted: Int
    /// The pushes, including repetitions.
    public var sent: Int
    public var accepted: Int
    /// The phones whose answer came after something newer was sent.
    public var superseded: Int
    /// The phones that were not reached, by the last outcome of each.
    public var failed: [String: Int]
    /// The milliseconds from the version's arrival to the first phone, and to the last.
    public var firstMs: Int?
    public var lastMs: Int?
    /// The milliseconds, until it is read, for which the match has been behind: more than one in a hundred of its phones
    /// here, or a channel, have lacked a version. Nil when it is not behind.
    public var behindMs: Int?
    /// Seconds since 1970 by the database's clock; 0 before the row is written.
    public var updatedAt: Int

    package init(
        match: MatchID, coordinator: String, version: Int, targeted: Int, sent: Int, accepted: Int, superseded: Int,
        failed: [String: Int], firstMs: Int?, lastMs: Int?, behindMs: Int? = nil, updatedAt: Int = 0
    ) {
        self.match = match
        self.coordinator = coordinator
        self.version = version
        self.targeted = targeted
        self.sent = sent
        self.accepted = accepted
        self.superseded = superseded
        self.failed = failed
        self.firstMs = firstMs
        self.lastMs = lastMs
        self.behindMs = behindMs
        self.updatedAt = updatedAt
    }

    /// Reads the counts of failures.
    /// - Parameter text: the JSON in `fanout_progress`.
    package static func failed(_ text: String) throws -> [String: Int] {
        do { return try JSONDecoder().decode([String: Int].self, from: Data(text.utf8)) } catch {
            throw PostgresError(.decoding, "fanout_progress.failed: \(error)")
        }
    }
}
