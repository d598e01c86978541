/// What happened on a ball, in the provider's catalogue of scores: "1 Run", "5 Wides", "1 No Ball + 1 Bye", "Catch Out".
public struct SlimScore: Codable, Sendable, Hashable {
    /// Informs people only: over a hundred ids exist and most are not documented.
    public var id: Int64?
    public var name: String
    /// Off the bat, or all the wides, or the no-ball's penalty and what came off the bat.
    public var runs: Int
    public var four: Bool
    public var six: Bool
    public var bye: Int
    public var legBye: Int
    public var noBall: Int
    public var noBallRuns: Int
    /// False for a wide alone: a no-ball says true.
    public var isBall: Bool
    /// A batter is out. A retirement says false.
    public var isOut: Bool

    public init(
        id: Int64? = nil, name: String, runs: Int = 0, four: Bool = false, six: Bool = false, bye: Int = 0,
        legBye: Int = 0, noBall: Int = 0, noBallRuns: Int = 0, isBall: Bool = true, isOut: Bool = false
    ) {
        self.id = id
        self.name = name
        self.runs = runs
        self.four = four
        self.six = six
        self.bye = bye
        self.legBye = legBye
        self.noBall = noBall
        self.noBallRuns = noBallRuns
        self.isBall = isBall
        self.isOut = isOut
    }
}
