/// One match of the schedule. Ids are strings, times are seconds since 1970.
public struct MatchItem: Codable, Hashable, Sendable {
    public var id: MatchID
    public var leagueId: String
    public var competition: String
    public var round: String
    public var format: String
    public var status: MatchStatus
    public var startsAt: Int?
    public var home: Side
    public var away: Side
    public var venue: String
    /// The provider's own note: the result, or why there is no play.
    public var note: String?
    public var winnerId: String?
    /// The state that a Lock Screen would show; absent before the first version.
    public var displayState: ContentState?
    /// The relevance of an activity that the app schedules itself, as in `FollowResponse`; absent with `displayState`.
    public var relevance: Double?
    /// The caller's channel. Only in the answer to `GET /matches/:id`, for a caller who follows the match, and only
    /// where there is one.
    public var channel: BroadcastChannel?

    public struct Side: Codable, Hashable, Sendable {
        public var id: String
        public var name: String
        public var abbr: String
        /// The https address of the team's logo; absent where the provider has none.
        public var logo: String?
        public init(id: String, name: String, abbr: String, logo: String? = nil) {
            self.id = id
            self.name = name
            self.abbr = abbr
            self.logo = logo
        }
    }

    public init(
        id: MatchID, leagueId: String, competition: String, round: String, format: String, status: MatchStatus,
        startsAt: Int?, home: Side, away: Side, venue: String, note: String?, winnerId: String?,
        displayState: ContentState?, relevance: Double? = nil, channel: BroadcastChannel? = nil
    ) {
        self.id = id
        self.leagueId = leagueId
        self.competition = competition
        self.round = round
        self.format = format
        self.status = status
        self.startsAt = startsAt
        self.home = home
        self.away = away
        self.venue = venue
        self.note = note
        self.winnerId = winnerId
        self.displayState = displayState
        self.relevance = relevance
        self.channel = channel
    }
}

public enum MatchStatus: String, Codable, Hashable, Sendable, CaseIterable {
    case upcoming, live, completed
    /// A status that a newer server sends and this build does not know. No request has it.
    case other

    /// The statuses that a match can have here.
    public static let allCases: [Self] = [.upcoming, .live, .completed]

    public init(from decoder: any Decoder) throws {
        self = Self(rawValue: try decoder.singleValueContainer().decode(String.self)) ?? .other
    }
}

/// The answer to `GET /matches`: one page, in order of start.
public struct MatchesResponse: Codable, Hashable, Sendable {
    public var matches: [MatchItem]
    /// The value of `?cursor=` for the next page; absent on the last page.
    public var nextCursor: String?
    /// The wait before the next request, in milliseconds.
    public var retryAfterMs: Int
    /// The end of the days that the server knows, in seconds since 1970: no match on a later day does not mean that
    /// there is none. Nil of an earlier server.
    public var listedUntil: Int?

    public init(matches: [MatchItem], nextCursor: String?, retryAfterMs: Int, listedUntil: Int? = nil) {
        self.matches = matches
        self.nextCursor = nextCursor
        self.retryAfterMs = retryAfterMs
        self.listedUntil = listedUntil
    }
}

/// The answer to `GET /matches/live`.
public struct LiveMatchesResponse: Codable, Hashable, Sendable {
    public var matches: [MatchItem]
    /// The wait before the next request, in milliseconds.
    public var retryAfterMs: Int

    public init(matches: [MatchItem], retryAfterMs: Int) {
        self.matches = matches
        self.retryAfterMs = retryAfterMs
    }
}
