public import SightscreenModels

/// The time for which cached matches are used without asking the gateway, by the state of the matches.
public struct CacheRule: Hashable, Sendable {
    /// For matches in play, in seconds: as long as a score stays the same.
    public var liveSeconds: Int
    /// For upcoming matches, in seconds: starts move, and matches are called off.
    public var upcomingSeconds: Int
    /// For completed matches, in seconds: a result is rarely corrected.
    public var completedSeconds: Int

    public init(liveSeconds: Int = 5, upcomingSeconds: Int = 900, completedSeconds: Int = 86_400) {
        self.liveSeconds = liveSeconds
        self.upcomingSeconds = upcomingSeconds
        self.completedSeconds = completedSeconds
    }

    public func seconds(for status: MatchStatus) -> Int {
        switch status {
        case .live, .other: liveSeconds
        case .upcoming: upcomingSeconds
        case .completed: completedSeconds
        }
    }

    /// Whether a day can be shown without asking the gateway. Today never can, because a match may begin at any moment.
    public func isFresh(_ entry: CachedDay, now: Int) -> Bool {
        let today = UTCDay(at: now)
        guard entry.day != today else { return false }
        let age = now - entry.fetchedAt
        // The clock was set back, so the age is unknown.
        guard age >= 0 else { return false }
        // The match with the shortest limit decides. A day without matches is final if it was over when it was fetched.
        let limit =
            entry.matches.map { seconds(for: $0.status) }.min()
            ?? (UTCDay(at: entry.fetchedAt) > entry.day ? completedSeconds : upcomingSeconds)
        guard age < limit else { return false }
        // A match fetched before its start and read after it may be in play by now.
        return !entry.matches.contains { match in
            guard match.status == .upcoming, let start = match.startsAt else { return false }
            return entry.fetchedAt < start && start <= now
        }
    }
}
