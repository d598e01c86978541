/// The score of a ball, from the provider's catalogue: "1 Run", "5 Wides", "1 No Ball + 1 Bye", "Catch Out".
public struct SlimScore: Codable, Sendable, Hashable {
    /// The id in the catalogue, which tells only what a batting row with the same id means: over a hundred ids exist,
    /// and most are not documented.
    public var id: Int64?
    public var name: String
    /// Runs off the bat, or all the wides, or the no-ball's penalty and the runs off the bat.
    public var runs: Int
    public var four: Bool
    public var six: Bool
    public var bye: Int
    public var legBye: Int
    public var noBall: Int
    public var noBallRuns: Int
    /// False for a wide alone; a no-ball has true.
    public var isBall: Bool
    /// Whether a batter is out. A retirement has false.
    public var isOut: Bool

    package init(
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
