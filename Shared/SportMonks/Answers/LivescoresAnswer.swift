/// An answer of `GET /livescores`: every match in play, each with every ball.
public struct LivescoresAnswer: Sendable {
    /// The `include` that brings everything a frame needs. Balls embed batter, bowler and score; fielders come with the
    /// line-up and the batting rows.
    public static let include = """
        localteam,visitorteam,league,season,stage,venue,lineup,runs,scoreboards,batting.batsman,batting.catchstump,\
        batting.runoutby,bowling.bowler,balls
        """

    public let fixtures: [SlimFixture]
    /// Fixtures and rows that were left out, each as a line for the log.
    public let problems: [AnswerProblem]

    /// Elements with the same bytes as one in the answer before, which were not parsed again.
    public let reused: Int

    /// - Throws: `ProviderAnswerError` when the body is empty, not JSON or without `data`.
    public init(_ bytes: [UInt8]) throws(ProviderAnswerError) {
        self.init(FixtureList(try ProviderAnswer.read(bytes, content: RawFixtureEntry.list).content), reused: 0)
    }

    init(_ list: FixtureList, reused: Int) {
        fixtures = list.fixtures
        problems = list.problems
        self.reused = reused
    }

    /// Reads the fixtures alone.
    /// - Throws: `ProviderAnswerError` when the body is empty, not JSON or without `data`.
    public static func fixtures(from bytes: [UInt8]) throws(ProviderAnswerError) -> [SlimFixture] {
        try LivescoresAnswer(bytes).fixtures
    }
}
