public import SightscreenModels

/// A Live Activity as it is on a phone.
public struct LabActivity: Codable, Hashable, Sendable {
    /// The states of ActivityKit except the last: a dismissed activity is not shown.
    public enum State: String, Codable, Sendable { case active, stale, ended }

    /// The attributes that the page shows; they do not change while the activity lives.
    public struct Attributes: Codable, Hashable, Sendable {
        public var homeTeam: String
        public var homeAbbr: String
        public var awayTeam: String
        public var awayAbbr: String
        public var competition: String
        /// The start of play in seconds since 1970.
        public var startsAt: Int?
        /// The short name of the side that the user follows.
        public var followedAbbr: String?

        package init(
            homeTeam: String, homeAbbr: String, awayTeam: String, awayAbbr: String, competition: String,
            startsAt: Int? = nil,
            followedAbbr: String? = nil
        ) {
            self.homeTeam = homeTeam
            self.homeAbbr = homeAbbr
            self.awayTeam = awayTeam
            self.awayAbbr = awayAbbr
            self.competition = competition
            self.startsAt = startsAt
            self.followedAbbr = followedAbbr
        }
    }

    public var id: String
    public var matchId: MatchID
    public var state: State
    /// Whether a push-to-start began the activity, and not the app.
    public var isPushStarted: Bool
    public var attributes: Attributes?
    public var content: ContentState
    /// When the activity began. All times are milliseconds since 1970.
    public var startedAtMs: Int64
    /// When `content` arrived.
    public var shownAtMs: Int64
    /// When the system begins to call it out of date.
    public var staleAtMs: Int64?
    /// When an ended activity leaves the Lock Screen.
    public var dismissAtMs: Int64?
    public var relevance: Double?
    /// The beginning of the update token, enough to tell two apart; nil until the system gives one.
    public var token: String?
    /// The broadcast channel that it listens to; nil for one with a token.
    public var channel: ChannelID?

    package init(
        id: String, matchId: MatchID, state: State, isPushStarted: Bool, attributes: Attributes?,
        content: ContentState, startedAtMs: Int64, shownAtMs: Int64, staleAtMs: Int64? = nil,
        dismissAtMs: Int64? = nil, relevance: Double? = nil, token: String? = nil, channel: ChannelID? = nil
    ) {
        self.id = id
        self.matchId = matchId
        self.state = state
        self.isPushStarted = isPushStarted
        self.attributes = attributes
        self.content = content
        self.startedAtMs = startedAtMs
        self.shownAtMs = shownAtMs
        self.staleAtMs = staleAtMs
        self.dismissAtMs = dismissAtMs
        self.relevance = relevance
        self.token = token
        self.channel = channel
    }
}
