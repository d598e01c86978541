public import SightscreenModels

/// One fixture of the provider without repetition: the form in which a frame travels from the poller to the bus.
///
/// The provider embeds the players, the team and the score into every ball (about 1.7 kB each); here they are tables,
/// and a ball is a short row of numbers. Four long innings of a Test (2,700 balls) stay well under 1 MiB.
/// Nothing is interpreted yet: the words and figures are the provider's. `snapshot()` turns them into cricket's terms.
public struct SlimFixture: Codable, Sendable, Equatable {
    /// The largest figure of a frame, ids included: the bus refuses a frame with a larger one, and none is made. As
    /// milliseconds it is the year 2255; a million of it still fits into 64 bits.
    public static let figureMax = 9_000_000_000_000

    /// The provider's id; the same number as `MatchID`.
    public var id: Int64
    public var leagueID: Int64?
    public var leagueName: String?
    /// The short form of the league's name: "T20I".
    public var leagueCode: String?
    public var seasonID: Int64?
    public var seasonName: String?
    public var stageID: Int64?
    /// The series, or the part of a tournament: "Sri Lanka tour of Pakistan", "Play Offs".
    public var stageName: String?
    /// "1st T20I", "36th Match"; "" when there is none.
    public var round: String
    /// `localteam` and `visitorteam`: home and away, not the batting order.
    public var home: SlimTeam
    public var away: SlimTeam
    /// The start (`starting_at`) in seconds since 1970.
    public var startsAt: Int?
    /// The provider's type of match: "T20I", "T20", "ODI", "Test/5day", "4day", "List A", "T10" …
    public var type: String?
    /// The provider's status, unknown words included: "NS", "1st Innings", "Int.", "Finished" …; "" when it has none.
    public var status: String
    public var note: String?
    public var venueName: String?
    public var venueCity: String?
    public var tossWonTeamID: Int64?
    /// The choice at the toss: "batting" or "bowling".
    public var elected: String?
    public var winnerTeamID: Int64?
    /// The word for a match without a winner: "draw", "no-result", "no result"; usually nil.
    public var drawNoResult: String?
    /// `total_overs_played`, which despite its name are the scheduled overs a side.
    public var scheduledOvers: Int?
    /// `rpc_overs` and `rpc_target`: the chase as revised by rain. 25.3 are 25 overs and 3 balls.
    public var revisedOvers: Double?
    public var revisedTarget: Int?
    /// The same for each side's innings; nil where the provider says nothing.
    public var homeRevision: SlimRevision?
    public var awayRevision: SlimRevision?
    public var superOver: Bool
    public var followOn: Bool

    public var runs: [SlimRuns]
    public var batting: [SlimBatting]
    public var bowling: [SlimBowling]
    public var scoreboards: [SlimScoreboard]
    /// The distinct scores of the balls; `SlimBall.score` is a position in this list.
    public var scores: [SlimScore]
    /// Every delivery of the match, ascending by id.
    public var balls: [SlimBall]
    /// The players that the answer names, ascending by id.
    public var players: [SlimPlayer]

    package init(
        id: Int64, leagueID: Int64? = nil, leagueName: String? = nil, leagueCode: String? = nil, seasonID: Int64? = nil,
        seasonName: String? = nil, stageID: Int64? = nil, stageName: String? = nil, round: String = "", home: SlimTeam,
        away: SlimTeam, startsAt: Int? = nil, type: String? = nil, status: String, note: String? = nil,
        venueName: String? = nil, venueCity: String? = nil, tossWonTeamID: Int64? = nil, elected: String? = nil,
        winnerTeamID: Int64? = nil, drawNoResult: String? = nil, scheduledOvers: Int? = nil,
        revisedOvers: Double? = nil, revisedTarget: Int? = nil, homeRevision: SlimRevision? = nil,
        awayRevision: SlimRevision? = nil, superOver: Bool = false, followOn: Bool = false,
        runs: [SlimRuns] = [], batting: [SlimBatting] = [], bowling: [SlimBowling] = [],
        scoreboards: [SlimScoreboard] = [], scores: [SlimScore] = [], balls: [SlimBall] = [],
        players: [SlimPlayer] = []
    ) {
        self.id = id
        self.leagueID = leagueID
        self.leagueName = leagueName
        self.leagueCode = leagueCode
        self.seasonID = seasonID
        self.seasonName = seasonName
        self.stageID = stageID
        self.stageName = stageName
        self.round = round
        self.home = home
        self.away = away
        self.startsAt = startsAt
        self.type = type
        self.status = status
        self.note = note
        self.venueName = venueName
        self.venueCity = venueCity
        self.tossWonTeamID = tossWonTeamID
        self.elected = elected
        self.winnerTeamID = winnerTeamID
        self.drawNoResult = drawNoResult
        self.scheduledOvers = scheduledOvers
        self.revisedOvers = revisedOvers
        self.revisedTarget = revisedTarget
        self.homeRevision = homeRevision
        self.awayRevision = awayRevision
        self.superOver = superOver
        self.followOn = followOn
        self.runs = runs
        self.batting = batting
        self.bowling = bowling
        self.scoreboards = scoreboards
        self.scores = scores
        self.balls = balls
        self.players = players
    }

    /// The id as the other services use it.
    public var matchID: MatchID { MatchID(id) }
}
