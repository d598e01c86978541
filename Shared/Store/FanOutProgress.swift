import FoundationEssentials
import Postgres
public import SightscreenModels

/// How far one coordinator is with a version of a match. Counts phones, but for `sent`.
public struct FanOutProgress: Sendable, Codable, Equatable {
    public var match: MatchID
    public var coordinator: String
    public var version: Int
    /// That were to get it.
    public var targeted: Int
    /// Pushes, repetitions among them.
    public var sent: Int
    public var accepted: Int
    /// Answers to pushes that something newer had overtaken.
    public var superseded: Int
    /// Not reached, by the last word about each.
    public var failed: [String: Int]
    /// From the version's arrival to the first and the last phone.
    public var firstMs: Int?
    public var lastMs: Int?
    /// Seconds since 1970 of the database's clock; 0 before it is written.
    public var updatedAt: Int

    public init(
        match: MatchID, coordinator: String, version: Int, targeted: Int, sent: Int, accepted: Int, superseded: Int,
        failed: [String: Int], firstMs: Int?, lastMs: Int?, updatedAt: Int = 0
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
        self.updatedAt = updatedAt
    }

    /// - Parameter text: as `fanout_progress` has it.
    package static func failed(_ text: String) throws -> [String: Int] {
        do { return try JSONDecoder().decode([String: Int].self, from: Data(text.utf8)) } catch {
            throw PostgresError(.decoding, "fanout_progress.failed: \(error)")
        }
    }
}
