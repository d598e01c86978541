public import Cricket

/// One row of `bowling`: a bowler who has been used in an innings.
public struct SlimBowling: Codable, Sendable, Equatable {
    public var innings: Int
    /// The place in the order of first overs, from 1.
    public var sort: Int
    /// The id of the bowling side.
    public var teamID: Int64
    public var playerID: Int64
    public var overs: Overs
    /// Maidens: the provider spells the field `medians`.
    public var maidens: Int
    /// Runs conceded, without byes and leg-byes.
    public var runs: Int
    public var wickets: Int
    /// Runs from wides.
    public var wides: Int
    public var noBalls: Int

    package init(
        innings: Int, sort: Int, teamID: Int64, playerID: Int64, overs: Overs, maidens: Int, runs: Int, wickets: Int,
        wides: Int, noBalls: Int
    ) {
        self.innings = innings
        self.sort = sort
        self.teamID = teamID
        self.playerID = playerID
        self.overs = overs
        self.maidens = maidens
        self.runs = runs
        self.wickets = wickets
        self.wides = wides
        self.noBalls = noBalls
    }
}
