public import SightscreenModels

/// A day's matches as the gateway returned them, and the time.
///
/// Its coding is written out and nonisolated: files are written and read off the main actor, and where a module's
/// default is the main actor, a synthesized conformance would be isolated to it.
public struct CachedDay: Hashable, Sendable {
    public var day: UTCDay
    /// The matches, in order of start.
    public var matches: [MatchItem]
    /// The time at which the gateway last returned these matches, or answered that nothing has changed, in seconds
    /// since 1970.
    public var fetchedAt: Int
    /// The wait before the next request, in milliseconds.
    public var retryAfterMs: Int
    /// The answer's entity tag; nil when the answer had several pages.
    public var tag: String?

    public init(day: UTCDay, matches: [MatchItem], fetchedAt: Int, retryAfterMs: Int = 30_000, tag: String? = nil) {
        self.day = day
        self.matches = matches
        self.fetchedAt = fetchedAt
        self.retryAfterMs = retryAfterMs
        self.tag = tag
    }

    public var hasLiveMatches: Bool { matches.contains { $0.status == .live } }

    /// Whether a match is in play or should have begun, so that it changes by itself, whatever day it is by now. A
    /// match that has not begun a day after its start is no longer expected to begin.
    public func isInPlay(now: Int) -> Bool {
        matches.contains { match in
            switch match.status {
            case .live, .other: true
            case .upcoming: match.startsAt.map { (0..<86_400).contains(now - $0) } ?? false
            case .completed: false
            }
        }
    }

    public func match(_ id: MatchID) -> MatchItem? { matches.first { $0.id == id } }
}

extension CachedDay: Codable {
    private enum CodingKeys: String, CodingKey { case day, matches, fetchedAt, retryAfterMs, tag }

    public nonisolated init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        day = try container.decode(UTCDay.self, forKey: .day)
        matches = try container.decode([MatchItem].self, forKey: .matches)
        fetchedAt = try container.decode(Int.self, forKey: .fetchedAt)
        retryAfterMs = try container.decode(Int.self, forKey: .retryAfterMs)
        tag = try container.decodeIfPresent(String.self, forKey: .tag)
    }

    public nonisolated func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(day, forKey: .day)
        try container.encode(matches, forKey: .matches)
        try container.encode(fetchedAt, forKey: .fetchedAt)
        try container.encode(retryAfterMs, forKey: .retryAfterMs)
        try container.encodeIfPresent(tag, forKey: .tag)
    }
}

/// The matches in play as the gateway returned them, and the time. They are never written to disk, because they are out
/// of date within seconds.
public struct CachedLive: Hashable, Sendable {
    public var matches: [MatchItem]
    public var fetchedAt: Int
    public var retryAfterMs: Int
    public var tag: String?

    public init(matches: [MatchItem], fetchedAt: Int, retryAfterMs: Int = 30_000, tag: String? = nil) {
        self.matches = matches
        self.fetchedAt = fetchedAt
        self.retryAfterMs = retryAfterMs
        self.tag = tag
    }
}
