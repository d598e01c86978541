/// One row of `balls`. It is encoded as a plain array of numbers, with 0 for no player, because a Test has thousands.
public struct SlimBall: Codable, Sendable, Equatable {
    /// The provider's id. Ids grow with time, with gaps; they are the only reliable order and stay the same after a
    /// correction.
    public var id: Int64
    /// The number in `scoreboard`: 1 for "S1".
    public var innings: Int
    /// Completed overs before the ball, from 0.
    public var over: Int
    /// One more than the legal balls before it in the over.
    public var number: Int
    /// The id of the batting side.
    public var teamID: Int64
    public var strikerID: Int64
    public var bowlerID: Int64
    /// The pair at the crease; its order means nothing.
    public var batterOneID: Int64?
    public var batterTwoID: Int64?
    public var outID: Int64?
    /// The catcher or stumper.
    public var catcherID: Int64?
    public var runOutByID: Int64?
    /// The position in `SlimFixture.scores`.
    public var score: Int
    /// When the row was updated, in seconds since 1970; 0 when the row has no time.
    public var updatedAt: Int

    package init(
        id: Int64, innings: Int, over: Int, number: Int, teamID: Int64, strikerID: Int64, bowlerID: Int64,
        batterOneID: Int64? = nil, batterTwoID: Int64? = nil, outID: Int64? = nil, catcherID: Int64? = nil,
        runOutByID: Int64? = nil, score: Int, updatedAt: Int
    ) {
        self.id = id
        self.innings = innings
        self.over = over
        self.number = number
        self.teamID = teamID
        self.strikerID = strikerID
        self.bowlerID = bowlerID
        self.batterOneID = batterOneID
        self.batterTwoID = batterTwoID
        self.outID = outID
        self.catcherID = catcherID
        self.runOutByID = runOutByID
        self.score = score
        self.updatedAt = updatedAt
    }

    public init(from decoder: any Decoder) throws {
        var row = try decoder.unkeyedContainer()
        func nonZeroID(_ id: Int64) -> Int64? { id == 0 ? nil : id }
        id = try row.decode(Int64.self)
        innings = try row.decode(Int.self)
        over = try row.decode(Int.self)
        number = try row.decode(Int.self)
        teamID = try row.decode(Int64.self)
        strikerID = try row.decode(Int64.self)
        bowlerID = try row.decode(Int64.self)
        batterOneID = nonZeroID(try row.decode(Int64.self))
        batterTwoID = nonZeroID(try row.decode(Int64.self))
        outID = nonZeroID(try row.decode(Int64.self))
        catcherID = nonZeroID(try row.decode(Int64.self))
        runOutByID = nonZeroID(try row.decode(Int64.self))
        score = try row.decode(Int.self)
        updatedAt = try row.decode(Int.self)
    }

    public func encode(to encoder: any Encoder) throws {
        var row = encoder.unkeyedContainer()
        try row.encode(id)
        try row.encode(innings)
        try row.encode(over)
        try row.encode(number)
        try row.encode(teamID)
        try row.encode(strikerID)
        try row.encode(bowlerID)
        try row.encode(batterOneID ?? 0)
        try row.encode(batterTwoID ?? 0)
        try row.encode(outID ?? 0)
        try row.encode(catcherID ?? 0)
        try row.encode(runOutByID ?? 0)
        try row.encode(score)
        try row.encode(updatedAt)
    }
}
