/// One row of `batting`: a batter who has come in.
///
/// The row's `updated_at` is left out on purpose: the provider touches all rows with every ball, changed or not.
public struct SlimBatting: Codable, Sendable, Equatable {
    public var innings: Int
    /// The place in the batting order, from 1.
    public var sort: Int
    /// The id of the batting side.
    public var teamID: Int64
    public var playerID: Int64
    public var runs: Int
    /// Balls faced: every ball but wides.
    public var balls: Int
    public var fours: Int
    public var sixes: Int
    /// `wicket_id`, or `score_id` where that is missing: the id of the dismissal; 84 is "not out".
    public var wicketID: Int64?
    /// The name of that dismissal, if the answer has it.
    public var wicketName: String?
    public var bowlerID: Int64?
    /// The catcher or stumper.
    public var catcherID: Int64?
    public var runOutByID: Int64?
    /// The total at the fall of the wicket; nil when not out.
    public var fallScore: Int?
    /// The label of the ball on which the wicket fell, in tenths (18.6 is 186); nil when not out.
    public var fallTenths: Int?

    package init(
        innings: Int, sort: Int, teamID: Int64, playerID: Int64, runs: Int, balls: Int, fours: Int, sixes: Int,
        wicketID: Int64? = nil, wicketName: String? = nil, bowlerID: Int64? = nil, catcherID: Int64? = nil,
        runOutByID: Int64? = nil, fallScore: Int? = nil, fallTenths: Int? = nil
    ) {
        self.innings = innings
        self.sort = sort
        self.teamID = teamID
        self.playerID = playerID
        self.runs = runs
        self.balls = balls
        self.fours = fours
        self.sixes = sixes
        self.wicketID = wicketID
        self.wicketName = wicketName
        self.bowlerID = bowlerID
        self.catcherID = catcherID
        self.runOutByID = runOutByID
        self.fallScore = fallScore
        self.fallTenths = fallTenths
    }
}
