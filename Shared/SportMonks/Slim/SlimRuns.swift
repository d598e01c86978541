public import Cricket

/// One row of `runs`: the total of an innings that has started. It is the authority for runs, wickets and overs.
public struct SlimRuns: Codable, Sendable, Equatable {
    /// The number of the innings, from 1; super overs go on counting.
    public var innings: Int
    /// The id of the batting side.
    public var teamID: Int64
    public var runs: Int
    public var wickets: Int
    public var overs: Overs
    /// When the row was updated, in seconds since 1970.
    public var updatedAt: Int?

    package init(innings: Int, teamID: Int64, runs: Int, wickets: Int, overs: Overs, updatedAt: Int? = nil) {
        self.innings = innings
        self.teamID = teamID
        self.runs = runs
        self.wickets = wickets
        self.overs = overs
        self.updatedAt = updatedAt
    }
}
