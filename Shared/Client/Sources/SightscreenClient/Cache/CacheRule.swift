public import SightscreenModels

/// For how long what is cached needs no question to the gateway, by what state matches are in.
public struct CacheRule: Hashable, Sendable {
    /// In play: as often as a score can change.
    public var liveSeconds: Int
    /// Starts move and matches are called off.
    public var upcomingSeconds: Int
    /// A result may still be corrected, rarely.
    public var completedSeconds: Int

    public init(liveSeconds: Int = 5, upcomingSeconds: Int = 900, completedSeconds: Int = 86_400) {
        self.liveSeconds = liveSeconds
        self.upcomingSeconds = upcomingSeconds
        self.completedSeconds = completedSeconds
    }

    public func seconds(for status: MatchStatus) -> Int {
        switch status {
        case .live: liveSeconds
        case .upcoming: upcomingSeconds
        case .completed: completedSeconds
        }
    }

    /// Whether a day can be shown without asking. Today never can: at any moment a match may begin.
    public func isFresh(_ entry: CachedDay, now: Int) -> Bool {
        let today = UTCDay(at: now)
        guard entry.day != today else { return false }
        let age = now - entry.fetchedAt
        // The clock was set back: nobody knows how old it is.
        guard age >= 0 else { return false }
        // The most restless match decides; a day without any is settled if it was over when it was asked for.
        let limit =
            entry.matches.map { seconds(for: $0.status) }.min()
            ?? (UTCDay(at: entry.fetchedAt) > entry.day ? completedSeconds : upcomingSeconds)
        guard age < limit else { return false }
        // Told before the start, looked at after it: it may be in play by now.
        return !entry.matches.contains { match in
            guard match.status == .upcoming, let start = match.startsAt else { return false }
            return entry.fetchedAt < start && start <= now
        }
    }
}
