public import Cricket

/// One row of `scoreboards`: the `total` or the `extra`s of an innings. No other list shows penalty runs.
public struct SlimScoreboard: Codable, Sendable, Equatable {
    public var innings: Int
    public var teamID: Int64?
    /// The type of the row: "total" or "extra".
    public var type: String
    public var wides: Int
    public var noBallRuns: Int
    public var noBalls: Int
    public var byes: Int
    public var legByes: Int
    public var penalty: Int
    public var total: Int
    public var overs: Overs?
    public var wickets: Int

    package init(
        innings: Int, teamID: Int64? = nil, type: String, wides: Int = 0, noBallRuns: Int = 0, noBalls: Int = 0,
        byes: Int = 0, legByes: Int = 0, penalty: Int = 0, total: Int = 0, overs: Overs? = nil, wickets: Int = 0
    ) {
        self.innings = innings
        self.teamID = teamID
        self.type = type
        self.wides = wides
        self.noBallRuns = noBallRuns
        self.noBalls = noBalls
        self.byes = byes
        self.legByes = legByes
        self.penalty = penalty
        self.total = total
        self.overs = overs
        self.wickets = wickets
    }
}
