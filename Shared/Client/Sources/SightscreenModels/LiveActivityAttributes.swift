/// The attributes of an activity, which do not change while it lives. They are sent with a start. All are strings
/// except `startsAt`.
public struct LiveActivityAttributes: Codable, Hashable, Sendable {
    public var matchId: MatchID
    /// The push-to-start's id, so that the app can tell which start made an activity.
    public var startId: StartID
    public var homeTeam: String
    public var homeAbbr: String
    public var homeTeamId: String
    /// The https address of the home team's logo; absent where the provider has none.
    public var homeLogo: String?
    public var awayTeam: String
    public var awayAbbr: String
    public var awayTeamId: String
    /// The https address of the away team's logo; absent where the provider has none.
    public var awayLogo: String?
    public var competition: String
    /// Seconds since 1970.
    public var startsAt: Int
    /// The side that the user follows, which the card shows first; absent when the user follows neither.
    public var followedTeamId: String?
    /// The broadcast channel that the activity listens to; absent when it has an update token of its own. ActivityKit
    /// does not say what an activity listens to.
    public var channelId: ChannelID?

    /// The most bytes of a logo's address: ActivityKit refuses attributes and content of more than 4 KB together.
    public static let logoBytesMax = 256

    /// Creates the attributes. Names pass through `DisplayText`, because the app shows them as they are. A logo whose
    /// address is longer than `logoBytesMax` is left out.
    public init(
        matchID: MatchID, startID: StartID, home: Team, away: Team, competition: String, startsAt: Int,
        followedTeamID: String? = nil, channelID: ChannelID? = nil
    ) {
        matchId = matchID
        startId = startID
        homeTeam = DisplayText.name(home.name)
        homeAbbr = DisplayText.code(home.code)
        homeTeamId = String(home.id)
        homeLogo = Self.short(home.logo)
        awayTeam = DisplayText.name(away.name)
        awayAbbr = DisplayText.code(away.code)
        awayTeamId = String(away.id)
        awayLogo = Self.short(away.logo)
        self.competition = DisplayText.name(competition)
        self.startsAt = startsAt
        followedTeamId = followedTeamID
        channelId = channelID
    }

    private static func short(_ logo: String?) -> String? {
        logo.flatMap { $0.utf8.count <= logoBytesMax ? $0 : nil }
    }
}
